// Invariant: the memory's counters are the number of its chunks and the sum of their lengths.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
CALL (memory) {
  MATCH (chunk:Chunk) WHERE chunk.id > memory.name + ':' AND chunk.id < memory.name + ';'
  RETURN count(*) AS chunks, coalesce(sum(CASE WHEN chunk.length IS :: INTEGER NOT NULL THEN chunk.length ELSE 0 END), 0) AS terms
}
WITH memory, chunks, terms
WHERE memory.chunks IS NULL OR memory.terms IS NULL OR memory.chunks <> chunks OR memory.terms <> terms
RETURN 'counters of the memory' AS where,
       'chunks ' + toString(chunks) + ', terms ' + toString(terms) AS expected,
       'chunks ' + coalesce(toStringOrNull(memory.chunks), 'null') + ', terms ' + coalesce(toStringOrNull(memory.terms), 'null') AS found
