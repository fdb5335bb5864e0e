// Mend the memory's counters: the number of its chunks and the sum of their lengths, counted anew under its lock.
// Returns: mended, 1 if they were wrong.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (chunk:Chunk) WHERE chunk.id > memory.name + ':' AND chunk.id < memory.name + ';'
  RETURN count(*) AS chunks, coalesce(sum(CASE WHEN chunk.length IS :: INTEGER NOT NULL THEN chunk.length ELSE 0 END), 0) AS terms
}
WITH memory, chunks, terms, CASE WHEN memory.chunks = chunks AND memory.terms = terms THEN 0 ELSE 1 END AS mended
SET memory.chunks = chunks, memory.terms = terms
RETURN mended
