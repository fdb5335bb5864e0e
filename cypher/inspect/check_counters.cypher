// Invariant: the memory's counters are the number of its chunks and the sum of their lengths.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
CALL (memory) {
  MATCH (chunk:Chunk) WHERE chunk.id STARTS WITH $memory + ':'
  RETURN count(*) AS chunks, coalesce(sum(chunk.length), 0) AS terms
}
WITH memory, chunks, terms WHERE memory.chunks <> chunks OR memory.terms <> terms
RETURN 'counters of the memory' AS where,
       'chunks ' + toString(chunks) + ', terms ' + toString(terms) AS expected,
       'chunks ' + toString(memory.chunks) + ', terms ' + toString(memory.terms) AS found
