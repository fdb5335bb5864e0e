// Delete the questions of a mind map, before they are written anew.
// Returns: questions, the number deleted.
:param map => "demo:m";
MATCH (:MindMap {id: $map})-[:HAS_ROOT]->(root:Question)
MATCH (root)-[:DECOMPOSED_INTO*0..]->(question:Question)
WITH DISTINCT question
DETACH DELETE question
RETURN count(*) AS questions
