// Remove emergent edges that have faded: no chunk behind them and, at the memory's cycle, strength 0.1; at most $limit edges.
// They count as gone for every reader and writer before that, so it does not matter when this runs. What has evidence or
// was stated is never removed. The first clause takes the memory's lock, and all that is matched is matched in subqueries
// after it. The sparse index (src, strength) finds those that a sweep has brought to 0.1; what it has not reached waits for it.
// A tag that held by such an edge alone goes too, with what counted its joint uses. Damaged numbers (NaN, text, null) stay.
// Returns: edges removed, tags that went with them, and remaining, 0 when there are no more; no row where there is no such memory, or it is being
// forgotten or imported.
:param memory => "demo";
:param limit => 5000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = coalesce(memory.writes, 0) + 1
WITH memory
WHERE memory.wiping IS NULL AND memory.importing IS NULL AND memory.cycle IS :: INTEGER NOT NULL
CALL (memory) {
  MATCH (a:Tag)
  USING INDEX SEEK a:Tag(memory, key)
  WHERE a.memory = memory.name AND a.key > ''
  CALL (a) {
    MATCH (:Tag)-[edge:CO_OCCURS]->(b:Tag)
    USING INDEX SEEK edge:CO_OCCURS(src, strength)
    WHERE edge.src = a.id AND edge.strength <= 0.1 AND edge.weight = 0 AND edge.emergent IS NOT NULL
    RETURN edge, b
  }
  WITH memory, a, edge, b, exp(-0.2) AS x, CASE
    WHEN edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL
    THEN abs(edge.usedCycle / 2) < 1000000000000000 ELSE false END AS sound
  WITH *, CASE WHEN sound AND memory.cycle > edge.usedCycle THEN toFloat(memory.cycle - edge.usedCycle) ELSE 0.0 END AS n
  WITH *, CASE WHEN sound THEN edge.usedStrength - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) END AS strength
  WHERE strength <= 0.1
  WITH a, edge, b LIMIT $limit + 1
  RETURN collect([a, edge, b]) AS rows
}
CALL (rows) {
  UNWIND rows[..$limit] AS row
  WITH row[0] AS a, row[1] AS edge, row[2] AS b
  DELETE edge
  RETURN count(*) AS edges, collect(a) + collect(b) AS ends
}
CALL (ends) {
  UNWIND ends AS tag
  WITH DISTINCT tag
  WHERE NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
    AND NOT EXISTS { (tag)-[joint:CO_ACTIVATED]-() WHERE joint.usedStrength IS NOT NULL }
  CALL (tag) { MATCH (tag)-[joint:CO_ACTIVATED]-() DELETE joint }
  DELETE tag
  RETURN count(*) AS tags
}
RETURN edges, tags, CASE WHEN size(rows) > $limit THEN size(rows) - $limit ELSE 0 END AS remaining
