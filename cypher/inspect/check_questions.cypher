// Invariants of a stored question: it has one place in one mind map, and all of it is of one memory.
// A mind map has one root; what supports a question is a chunk of its memory.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
CALL () {
  MATCH (map:MindMap)
  WHERE map.id > $memory + ':' AND map.id < $memory + ';'
  WITH map, COUNT { (map)-[:HAS_ROOT]->(:Question) } AS roots
  WHERE roots <> 1 OR map.memory IS NULL OR map.memory <> $memory
  RETURN map.id AS where, 'a mind map of its memory with one root' AS expected,
         toString(roots) + ' roots, memory ' + coalesce(map.memory, 'null') AS found
  UNION ALL
  MATCH (question:Question)
  WHERE question.id > $memory + ':' AND question.id < $memory + ';'
  WITH question, COUNT { (question)<-[:HAS_ROOT|DECOMPOSED_INTO]-() } AS above
  WHERE above <> 1 OR NOT EXISTS {
    MATCH (map:MindMap)-[:HAS_ROOT]->(:Question)-[:DECOMPOSED_INTO*0..]->(question)
    WHERE map.id > $memory + ':' AND map.id < $memory + ';'
  }
  RETURN question.id AS where, 'a place in one mind map of its memory' AS expected, toString(above) + ' above, in no map or two' AS found
  UNION ALL
  MATCH (question:Question)
  WHERE question.id > $memory + ':' AND question.id < $memory + ';'
  MATCH (question)-[:SUPPORTED_BY]->(evidence)
  WHERE NOT evidence:Chunk OR evidence.memory IS NULL OR evidence.memory <> $memory
  RETURN question.id AS where, 'evidence in chunks of its memory' AS expected,
         coalesce(head(labels(evidence)), 'a node') + ' of the memory ' + coalesce(evidence.memory, 'null') AS found
}
RETURN where, expected, found ORDER BY where, expected, found
