// Write the questions of mind maps, with the chunks that support them; their tree is tied by import/link_questions.
// Returns: questions, the number written.
:param questions => [{id: "demo:q", properties: {text: "Who?"}, times: {}, dates: {}, chunks: ["demo:0"]}];
UNWIND $questions AS row
MERGE (question:Question {id: row.id})
SET question += row.properties
FOREACH (name IN keys(row.times) | SET question[name] = datetime(row.times[name]))
FOREACH (name IN keys(row.dates) | SET question[name] = date(row.dates[name]))
WITH question, row
CALL (question, row) {
  UNWIND row.chunks AS id
  MATCH (chunk:Chunk {id: id})
  MERGE (question)-[:SUPPORTED_BY]->(chunk)
}
RETURN count(*) AS questions
