// Give chunks the terms and the number of tokens that were made anew from their text, where what they have is damaged.
// Takes the memory's lock first.
// Returns: mended, the number of chunks.
:param memory => "demo";
:param chunks => [["demo:0", "bridg", 3]];
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL () {
  UNWIND $chunks AS row
  MATCH (chunk:Chunk {id: row[0]})
  SET chunk.terms = CASE WHEN chunk.terms IS :: STRING NOT NULL THEN chunk.terms ELSE row[1] END,
      chunk.tokens = CASE WHEN coalesce(chunk.tokens IS :: INTEGER NOT NULL AND chunk.tokens >= 1, false) THEN chunk.tokens ELSE row[2] END
  RETURN count(*) AS mended
}
RETURN mended
