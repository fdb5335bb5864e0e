// Count pairs of tags that occur in one more chunk: MERGE an edge a pair and increment its weight.
// The pairs come pre-summed and sorted by (src, dst), src being the smaller id; the unique index on (src, dst)
// makes each a seek, also between two hubs. The rank is set in a later clause, since one SET reads old values.
// What was learned stays; evidence raises its floor to 0.5, so strength and rank are set as of the memory's last sweep, or
// of the one under way, which may have passed the edge (the closed form of decay: see learn/decay). An emergent edge that
// had faded counts as gone: the pair begins anew.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number of edges written (it must be the number of rows), and learns, whether the memory has learned anything.
:param memory => "demo";
:param pairs => [[1, 2, 1]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.cycle, 0) AS cycle, coalesce(memory.sweeping, memory.swept, 0) AS swept,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
UNWIND $pairs AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
MERGE (a)-[edge:CO_OCCURS {src: row[0], dst: row[1]}]->(b)
ON CREATE SET edge.weight = row[2]
ON MATCH SET edge.weight = edge.weight + row[2]
WITH edge, row, cycle, swept, evidence, exp(-0.2) AS x, CASE
  WHEN edge.usedStrength IS NULL THEN evidence < 0.5
  ELSE edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL END AS learned
WITH *, CASE WHEN learned THEN coalesce(edge.usedStrength, 0.5) END AS used,
  CASE WHEN learned AND cycle > coalesce(edge.usedCycle, 0) THEN toFloat(cycle) - coalesce(edge.usedCycle, 0) ELSE 0.0 END AS n,
  CASE WHEN learned AND swept > coalesce(edge.usedCycle, 0) THEN toFloat(swept) - coalesce(edge.usedCycle, 0) ELSE 0.0 END AS m
WITH *, used - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then,
  edge.emergent IS NOT NULL AND edge.weight = row[2] AND used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) <= 0.1 AS faded
FOREACH (anew IN CASE WHEN faded THEN [edge] ELSE [] END |
  SET anew.strength = null, anew.usedStrength = null, anew.usedCycle = null, anew.activations = null, anew.emergent = null)
FOREACH (used IN CASE WHEN learned AND NOT faded THEN [edge] ELSE [] END |
  SET used.strength = CASE WHEN then > evidence THEN then ELSE evidence END)
SET edge.rank = toFloat(edge.weight) * CASE WHEN edge.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL THEN edge.strength ELSE 0.5 END / 0.5
RETURN count(*) AS pairs, max(cycle) > 0 AS learns
