// Whether time has passed since strengths and ranks were last brought up to date: asked at each beat of a job.
// A batch of learn/decay takes 2,000 tags at most, so a large memory gets ten batches a beat, a small one what it needs.
// Returns: due, a row a batch, or none.
:param memory => "demo";
MATCH (clock:BambooMemory {name: $memory})
WHERE clock.swept IS NULL OR clock.swept <> clock.cycle OR clock.sweeping IS NOT NULL
WITH COUNT { MATCH (tag:Tag) WHERE tag.memory = clock.name AND tag.key IS NOT NULL } / 2000 + 1 AS pages
UNWIND range(1, CASE WHEN pages < 10 THEN pages ELSE 10 END) AS due
RETURN due
