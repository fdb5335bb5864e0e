// The questions of one mind map, with the question each was taken from and the chunks that support it.
// Returns: a row a question: id, parent (null at the root), order, properties, chunks as [id, document, title, ordinal, text, tokens].
:param map => "demo:m";
MATCH (:MindMap {id: $map})-[:HAS_ROOT]->(root:Question)
MATCH (root)-[:DECOMPOSED_INTO*0..]->(question:Question)
WITH DISTINCT root, question
OPTIONAL MATCH (parent:Question)-[step:DECOMPOSED_INTO]->(question) WHERE question <> root
WITH question, parent, step
RETURN question.id AS id, parent.id AS parent, coalesce(step.order, 1) AS order, properties(question) AS properties,
       COLLECT {
         MATCH (question)-[:SUPPORTED_BY]->(chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
         RETURN [chunk.id, document.id, coalesce(document.title, ''), chunk.ordinal, chunk.text, chunk.tokens]
         ORDER BY document.id, chunk.ordinal
       } AS chunks
ORDER BY parent.id, order, question.id
