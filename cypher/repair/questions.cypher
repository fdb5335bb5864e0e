// Mend stored questions: those that have no place in one mind map go, as do maps without one root, and links to foreign chunks.
// A map that goes leaves its questions without a place: they go when this is run again, until nothing is mended.
// Takes the memory's lock first; bounded by $limit of each.
// Returns: mended, the number of nodes deleted or changed and links deleted.
:param memory => "demo";
:param limit => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (map:MindMap)
  WHERE map.id > memory.name + ':' AND map.id < memory.name + ';'
  WITH memory, map, COUNT { (map)-[:HAS_ROOT]->(:Question) } AS roots
  WHERE roots <> 1 OR map.memory IS NULL OR map.memory <> memory.name
  WITH memory, map, roots LIMIT $limit
  FOREACH (gone IN CASE WHEN roots <> 1 THEN [map] ELSE [] END | DETACH DELETE gone)
  FOREACH (kept IN CASE WHEN roots = 1 THEN [map] ELSE [] END | SET kept.memory = memory.name)
  RETURN count(*) AS maps
}
CALL (memory) {
  MATCH (question:Question)
  WHERE question.id > memory.name + ':' AND question.id < memory.name + ';'
    AND (COUNT { (question)<-[:HAS_ROOT|DECOMPOSED_INTO]-() } <> 1 OR NOT EXISTS {
      MATCH (map:MindMap)-[:HAS_ROOT]->(:Question)-[:DECOMPOSED_INTO*0..]->(question)
      WHERE map.id > memory.name + ':' AND map.id < memory.name + ';'
    })
  WITH question LIMIT $limit
  DETACH DELETE question
  RETURN count(*) AS questions
}
CALL (memory) {
  MATCH (question:Question)-[link:SUPPORTED_BY]->(evidence)
  WHERE question.id > memory.name + ':' AND question.id < memory.name + ';'
    AND (NOT evidence:Chunk OR evidence.memory IS NULL OR evidence.memory <> memory.name)
  WITH link LIMIT $limit
  DELETE link
  RETURN count(*) AS links
}
RETURN maps + questions + links AS mended
