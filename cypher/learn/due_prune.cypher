// Whether an edge that grew from use has faded: asked at a beat of a job, if the memory has changed.
// The sparse index (src, strength) holds learned edges only; the first that a sweep has brought to 0.1 ends it.
// What learn/prune leaves alone, damaged numbers, is no work.
// Returns: due, one row, or none.
:param memory => "demo";
MATCH (tag:Tag)-[edge:CO_OCCURS]->()
USING INDEX edge:CO_OCCURS(src, strength)
WHERE edge.src > 0 AND edge.strength <= 0.1 AND edge.weight = 0 AND edge.emergent IS NOT NULL AND tag.memory = $memory
  AND edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL
RETURN 1 AS due LIMIT 1
