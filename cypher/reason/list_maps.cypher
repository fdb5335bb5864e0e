// The questions that were asked of a memory, the latest first, with the number of questions in each mind map.
// Ids begin with the memory's name, so the range is one of the index of MindMap.id.
// Returns: a row a mind map: id, question, answer, abstained, reason, createdAt, questions.
:param memory => "demo";
:param limit => 20;
MATCH (map:MindMap)
WHERE map.id > $memory + ':' AND map.id < $memory + ';'
WITH map ORDER BY map.createdAt DESC, map.id LIMIT $limit
RETURN map.id AS id, coalesce(map.question, '') AS question, coalesce(map.answer, '') AS answer,
       coalesce(map.abstained, false) AS abstained, coalesce(map.reason, '') AS reason, toString(map.createdAt) AS createdAt,
       COUNT { (map)-[:HAS_ROOT]->()-[:DECOMPOSED_INTO*0..]->(:Question) } AS questions
ORDER BY map.createdAt DESC, map.id
