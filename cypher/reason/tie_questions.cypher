// Tie questions to the question each was taken from, in order, and the root to its mind map.
// Returns: links, the number of questions tied.
:param map => "demo:m";
:param steps => [{id: "demo:q", parent: null, order: 1}];
UNWIND $steps AS step
MATCH (question:Question {id: step.id})
CALL (step, question) {
  MATCH (map:MindMap {id: $map}) WHERE step.parent IS NULL
  MERGE (map)-[:HAS_ROOT]->(question)
}
CALL (step, question) {
  MATCH (parent:Question {id: step.parent})
  MERGE (parent)-[link:DECOMPOSED_INTO]->(question)
  SET link.order = step.order
}
RETURN count(*) AS links
