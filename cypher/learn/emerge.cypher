// Make the edges that grew from use: of tags that three validated episodes used together; at most $limit edges.
// The first clause takes the memory's lock, and all that is matched is matched in subqueries after it. What CO_ACTIVATED
// carries since the third use moves to an edge without evidence (weight 0, emergent), so it does not matter when this runs:
// the edge is as old as its third use, and stands with the strength of the last sweep. One that has faded to 0.1 meanwhile
// goes, with a tag that nothing else holds. A count of three without a state begins now, with strength min(0.5, 0.1·count), unless a fact stands between.
// Damaged numbers (NaN, text, null) are left alone: types are asked for before arithmetic.
// Returns: edges made, tags that went, and remaining, 0 when there are no more; no row where there is no such memory, or it is being
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
    MATCH (:Tag)-[joint:CO_ACTIVATED]->(b:Tag)
    USING INDEX SEEK joint:CO_ACTIVATED(src, dst)
    WHERE joint.src = a.id AND joint.dst > a.id AND joint.count >= 3 AND b.memory = a.memory
    RETURN joint, b
  }
  WITH memory, a, joint, b, CASE
    WHEN joint.count IS :: INTEGER NOT NULL AND joint.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL
      AND joint.usedCycle IS :: INTEGER NOT NULL AND joint.activations IS :: INTEGER NOT NULL
    THEN joint.usedStrength >= 0 AND joint.usedStrength <= 1 AND abs(joint.usedCycle / 2) < 1000000000000000
    ELSE joint.count IS :: INTEGER NOT NULL AND joint.usedStrength IS NULL AND joint.usedCycle IS NULL AND joint.activations IS NULL
      AND NOT EXISTS { (a)-[:FACT]-(b) } END AS sound
  WHERE sound
  WITH a, b, joint LIMIT $limit + 1
  RETURN collect([a, b, joint]) AS rows
}
CALL (memory, rows) {
  UNWIND rows[..$limit] AS row
  WITH memory, row[0] AS a, row[1] AS b, row[2] AS joint
  OPTIONAL MATCH ()-[known:CO_OCCURS]->()
  USING INDEX SEEK known:CO_OCCURS(src, dst)
  WHERE known.src = a.id AND known.dst = b.id
  WITH memory, a, b, joint, known, exp(-0.2) AS x,
    coalesce(toFloat(joint.usedStrength), CASE WHEN joint.count < 5 THEN joint.count / 10.0 ELSE 0.5 END) AS used,
    coalesce(joint.usedCycle, memory.cycle) AS since, coalesce(joint.activations, joint.count) AS activations,
    CASE WHEN memory.sweeping IS :: INTEGER NOT NULL THEN memory.sweeping ELSE coalesce(memory.swept, 0) END AS swept
  WITH *, CASE WHEN memory.cycle > since THEN toFloat(memory.cycle - since) ELSE 0.0 END AS n,
    CASE WHEN swept > since THEN toFloat(swept - since) ELSE 0.0 END AS m
  WITH a, b, joint, used, since, activations, known IS NOT NULL AND known.emergent IS NULL AS evident,
    used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS now, used - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then
  WITH *, now > 0.1 AND NOT evident AS grows
  FOREACH (one IN CASE WHEN grows THEN [1] ELSE [] END |
    MERGE (a)-[edge:CO_OCCURS {src: a.id, dst: b.id}]->(b)
    SET edge.weight = coalesce(edge.weight, 0), edge.emergent = true, edge.usedStrength = used, edge.usedCycle = since,
        edge.activations = activations, edge.strength = CASE WHEN then > 0.1 THEN then ELSE 0.1 END
    SET edge.rank = edge.strength / 0.5)
  DELETE joint
  RETURN count(CASE WHEN grows THEN 1 END) AS edges, collect(a) + collect(b) AS ends
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
