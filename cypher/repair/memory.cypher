// Mend the memory's own node, and the next tag id. A lost clock begins at the latest episode, and counts as swept until then; a
// lost time becomes now. Counters are counted by repair/counters; the language and the word rules are left to `bamboo reindex`.
// Takes the memory's lock first.
// Allows: CartesianProduct because each side is one node or one number.
// Returns: mended, the number of values that were set.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
WITH memory, CASE WHEN memory.writes IS :: INTEGER NOT NULL THEN 0 ELSE 1 END AS unlocked
SET memory.writes = CASE WHEN memory.writes IS :: INTEGER NOT NULL THEN memory.writes ELSE 0 END + 1
WITH memory, unlocked
CALL (memory) {
  MATCH (episode:Episode)
  WHERE episode.memory = memory.name AND episode.status IS NOT NULL AND episode.cycle IS :: INTEGER NOT NULL
  RETURN CASE WHEN max(episode.cycle) > 0 THEN max(episode.cycle) ELSE 0 END AS latest
}
CALL () {
  MATCH (schema:BambooSchema {id: 'bamboo'})
  WHERE NOT schema.nextTagId IS :: INTEGER NOT NULL
  CALL () { MATCH (tag:Tag) WHERE tag.id IS NOT NULL AND tag.id IS :: INTEGER NOT NULL RETURN coalesce(max(tag.id), 0) AS last }
  SET schema.nextTagId = last + 1
  RETURN count(*) AS schemas
}
CALL (memory, latest) {
  WITH memory, latest WHERE NOT (memory.cycle IS :: INTEGER NOT NULL AND memory.cycle >= 0)
  SET memory.cycle = latest
  RETURN count(*) AS cycles
}
CALL (memory) {
  WITH memory WHERE NOT (memory.swept IS :: INTEGER NOT NULL AND memory.swept >= 0 AND memory.swept <= memory.cycle)
  SET memory.swept = memory.cycle
  RETURN count(*) AS sweeps
}
CALL (memory) {
  WITH memory WHERE NOT memory.createdAt IS :: ZONED DATETIME NOT NULL
  SET memory.createdAt = datetime()
  RETURN count(*) AS times
}
RETURN unlocked + schemas + cycles + sweeps + times AS mended
