// Mend the pairs of a page of tags: each weight becomes the number of chunks that hold both, an edge without one goes.
// An edge keeps what was learned on it; one with wrong ends is made anew. Emergent edges stay, with weight 0 and the rank of 1.
// Takes the memory's lock first; the pages are those of inspect/check_page. Once every pair has its edge, edges without a chunk
// are searched only at a tag that has more edges than pairs, from the end with fewer chunks (toIntegerOrNull: not by the index on ids).
// Ranks are set in a later clause than weights, since one SET reads old values.
// Returns: mended, the number of edges that were changed.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (a:Tag)-[edge:CO_OCCURS]->(b:Tag)
  WHERE a.memory = memory.name AND a.key > $after AND a.key <= $until
    AND (edge.src IS NULL OR edge.dst IS NULL OR edge.src <> a.id OR edge.dst <> b.id OR a.id >= b.id
      OR b.memory IS NULL OR b.memory <> a.memory)
  DELETE edge
  RETURN count(*) AS wrong
}
CALL (memory) {
  MATCH (a:Tag)
  WHERE a.memory = memory.name AND a.key > $after AND a.key <= $until
  CALL (a) {
    MATCH (a)<-[:TAGGED]-(chunk:Chunk)-[:TAGGED]->(b:Tag)
    WHERE toIntegerOrNull(b.id) > a.id AND b.memory = a.memory
    WITH a, b, count(DISTINCT chunk) AS weight
    OPTIONAL MATCH ()-[edge:CO_OCCURS]->()
    USING INDEX SEEK edge:CO_OCCURS(src, dst)
    WHERE edge.src = a.id AND edge.dst = b.id
    WITH a, b, weight, edge, edge IS NOT NULL AND (startNode(edge) <> a OR endNode(edge) <> b) AS astray
    WITH a, b, weight, CASE WHEN astray THEN [edge] ELSE [] END AS strays, edge.emergent IS NULL OR astray AS plain,
         edge IS NULL OR astray OR NOT edge.weight IS :: INTEGER NOT NULL OR edge.weight <> weight OR NOT edge.rank IS :: FLOAT NOT NULL
           OR NOT abs(toFloatOrNull(edge.rank) - toFloat(weight) * coalesce(toFloatOrNull(edge.strength), 0.5) / 0.5) <= 1e-9 AS faulty
    FOREACH (stray IN strays | DELETE stray)
    FOREACH (wanted IN CASE WHEN faulty THEN [weight] ELSE [] END |
      MERGE (a)-[mended:CO_OCCURS {src: a.id, dst: b.id}]->(b)
      SET mended.weight = wanted
      SET mended.rank = toFloat(mended.weight) * coalesce(toFloatOrNull(mended.strength), 0.5) / 0.5)
    RETURN count(CASE WHEN faulty THEN 1 END) AS changed, count(CASE WHEN plain THEN 1 END) AS paired
  }
  CALL (a, paired) {
    WITH a, COUNT { (a)-[plain:CO_OCCURS]->() WHERE plain.emergent IS NULL } <> paired AS more
    MATCH (a)-[edge:CO_OCCURS]->(b:Tag)
    WHERE more OR edge.emergent IS NOT NULL
    WITH edge, CASE WHEN COUNT { (a)<-[:TAGGED]-() } <= COUNT { (b)<-[:TAGGED]-() } THEN [a, b] ELSE [b, a] END AS ends
    WITH edge, ends[0] AS rarer, ends[1] AS commoner
    WHERE NOT EXISTS { (rarer)<-[:TAGGED]-(:Chunk)-[:TAGGED]->(tag:Tag) WHERE toIntegerOrNull(tag.id) = commoner.id }
    WITH edge, edge.emergent IS NOT NULL AS stays
    WHERE NOT stays OR NOT edge.weight IS :: INTEGER NOT NULL OR edge.weight <> 0 OR NOT edge.rank IS :: FLOAT NOT NULL
       OR NOT abs(toFloatOrNull(edge.rank) - coalesce(toFloatOrNull(edge.strength), 0.5) / 0.5) <= 1e-9
    FOREACH (kept IN CASE WHEN stays THEN [edge] ELSE [] END |
      SET kept.weight = 0
      SET kept.rank = coalesce(toFloatOrNull(kept.strength), 0.5) / 0.5)
    FOREACH (gone IN CASE WHEN stays THEN [] ELSE [edge] END | DELETE gone)
    RETURN count(*) AS extra
  }
  RETURN sum(changed + extra) AS mended
}
RETURN wrong + mended AS mended
