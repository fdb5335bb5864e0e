// Write the questions of a mind map with the chunks that support their answers; their tree is tied by reason/tie_questions.
// A chunk that has gone since, or is of another memory, supports nothing.
// Returns: questions, the number written.
:param memory => "demo";
:param questions => [{properties: {id: "demo:q", text: "Who built the mill?", level: 0}, chunks: ["demo:0"]}];
UNWIND $questions AS row
MERGE (question:Question {id: row.properties.id})
SET question = row.properties
WITH question, row
CALL (question, row) {
  UNWIND row.chunks AS id
  MATCH (chunk:Chunk {id: id}) WHERE chunk.memory = $memory
  MERGE (question)-[:SUPPORTED_BY]->(chunk)
}
RETURN count(*) AS questions
