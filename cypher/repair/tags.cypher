// Mend what hangs on counts of the whole memory: tags that nothing holds go, and the memory's counters are counted anew.
// Takes the memory's lock first.
// Returns: mended, the number of tags deleted, and 1 more if the counters were wrong.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (tag:Tag)
  WHERE tag.memory = memory.name AND tag.key IS NOT NULL
    AND NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
  DETACH DELETE tag
  RETURN count(*) AS idle
}
CALL (memory) {
  MATCH (chunk:Chunk) WHERE chunk.id STARTS WITH memory.name + ':'
  RETURN count(*) AS chunks, coalesce(sum(chunk.length), 0) AS terms
}
WITH memory, idle, chunks, terms, CASE WHEN memory.chunks <> chunks OR memory.terms <> terms THEN 1 ELSE 0 END AS wrong
SET memory.chunks = chunks, memory.terms = terms
RETURN idle + wrong AS mended
