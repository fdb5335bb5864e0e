// Tie questions to the question each was taken from, in order, and roots to their mind map.
// Returns: links, the number of rows tied.
:param steps => [{map: "demo:m", parent: null, id: "demo:q", order: null}];
UNWIND $steps AS step
MATCH (question:Question {id: step.id})
CALL (step, question) {
  MATCH (map:MindMap {id: step.map}) WHERE step.parent IS NULL
  MERGE (map)-[:HAS_ROOT]->(question)
}
CALL (step, question) {
  MATCH (parent:Question {id: step.parent})
  MERGE (parent)-[link:DECOMPOSED_INTO]->(question)
  SET link.order = step.order
}
RETURN count(*) AS links
