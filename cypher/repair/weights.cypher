// Mend the pairs of a page of tags: each weight becomes the number of chunks that hold both, an edge without one goes.
// An edge keeps what was learned on it; one with wrong ends is made anew. Emergent edges stay, with weight 0.
// Takes the memory's lock first; the pages are those of inspect/check_page.
// Returns: mended, the number of edges that were changed.
:param memory => "demo";
:param after => 0;
:param until => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (a:Tag)-[edge:CO_OCCURS]->(b:Tag)
  WHERE a.id > $after AND a.id <= $until AND a.memory = memory.name
    AND (edge.src IS NULL OR edge.dst IS NULL OR edge.src <> a.id OR edge.dst <> b.id OR a.id >= b.id OR b.memory <> a.memory
      OR NOT EXISTS { (a)<-[:TAGGED]-(:Chunk)-[:TAGGED]->(b) })
  WITH edge, a, b, edge.emergent IS NOT NULL AND edge.src = a.id AND edge.dst = b.id AND a.id < b.id AND b.memory = a.memory AS stays
  WHERE NOT stays OR edge.weight <> 0
  FOREACH (gone IN CASE WHEN stays THEN [] ELSE [edge] END | DELETE gone)
  FOREACH (kept IN CASE WHEN stays THEN [edge] ELSE [] END | SET kept.weight = 0)
  RETURN count(*) AS extra
}
CALL (memory) {
  MATCH (a:Tag)<-[:TAGGED]-(chunk:Chunk)-[:TAGGED]->(b:Tag)
  WHERE a.id > $after AND a.id <= $until AND a.memory = memory.name AND b.id > a.id AND b.memory = a.memory
  WITH a, b, count(DISTINCT chunk) AS weight
  OPTIONAL MATCH ()-[edge:CO_OCCURS]->() WHERE edge.src = a.id AND edge.dst = b.id
  WITH a, b, weight, edge
  WHERE edge IS NULL OR edge.weight IS NULL OR edge.weight <> weight OR edge.rank IS NULL
     OR NOT abs(edge.rank - toFloat(weight) * coalesce(edge.strength, 0.5) / 0.5) <= 1e-9
  MERGE (a)-[mended:CO_OCCURS {src: a.id, dst: b.id}]->(b)
  SET mended.weight = weight
  SET mended.rank = toFloat(mended.weight) * coalesce(mended.strength, 0.5) / 0.5
  RETURN count(*) AS wrong
}
RETURN extra + wrong AS mended
