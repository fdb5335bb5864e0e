// What a memory holds, in numbers; counts of edges are degree reads.
// Returns: one row: language, documents, unfinished, chunks, terms, tokens, tags, words, edges, facts, cycle,
// writes, createdAt; none without the memory.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
CALL (memory) {
  MATCH (document:Document) WHERE document.memory = $memory AND document.id IS NOT NULL
  RETURN count(*) AS documents, count(CASE WHEN document.contentHash IS NULL THEN 1 END) AS unfinished
}
CALL (memory) { MATCH (chunk:Chunk) WHERE chunk.id STARTS WITH $memory + ':' RETURN coalesce(sum(chunk.tokens), 0) AS tokens }
CALL (memory) {
  MATCH (tag:Tag) WHERE tag.memory = $memory AND tag.key IS NOT NULL
  RETURN count(*) AS tags, coalesce(sum(COUNT { (tag)-[:CO_OCCURS]->() }), 0) AS edges,
         coalesce(sum(COUNT { (tag)-[:FACT]->() }), 0) AS facts
}
CALL (memory) { MATCH (word:Word) WHERE word.memory = $memory AND word.name IS NOT NULL RETURN count(*) AS words }
RETURN memory.language AS language, documents, unfinished, memory.chunks AS chunks, memory.terms AS terms, tokens, tags, words,
       edges, facts, memory.cycle AS cycle, memory.writes AS writes, memory.createdAt AS createdAt
