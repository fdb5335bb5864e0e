// The questions of one mind map, with the question each was taken from and the chunks that support it.
// A chunk is named by its document, its text and the number of chunks before it in that document with the same text.
// Returns: a row a question and parent: id, parent (null at the root), order, properties, chunks as [document, text, number].
:param map => "demo:0";
MATCH (:MindMap {id: $map})-[:HAS_ROOT]->(root:Question)
MATCH (root)-[:DECOMPOSED_INTO*0..]->(question:Question)
WITH DISTINCT root, question
OPTIONAL MATCH (parent:Question)-[step:DECOMPOSED_INTO]->(question) WHERE question <> root
WITH question, parent, step
RETURN question.id AS id, parent.id AS parent, step.order AS order, properties(question) AS properties,
       COLLECT {
         MATCH (question)-[:SUPPORTED_BY]->(chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
         RETURN [document.id, chunk.text, COUNT {
           MATCH (document)<-[:FROM_DOCUMENT]-(twin:Chunk)
           WHERE twin.text = chunk.text
             AND (twin.ordinal < chunk.ordinal OR twin.ordinal = chunk.ordinal AND twin.id < chunk.id)
         }]
       } AS chunks
ORDER BY parent.id, step.order, question.id
