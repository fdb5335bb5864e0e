// Bring what was learned of pairs that have just got more evidence to their new floor.
// Evidence raises an edge's floor to 0.5, so strength and rank are set as of the memory's last sweep, or of the one under
// way, which may have passed the edge (the closed form of decay: see learn/decay). An emergent edge that had faded counts
// as gone: the pair begins anew. Edges that were never used are passed over, but where every edge decays (floor 0.1).
// Returns: pairs, the number settled.
:param memory => "demo";
:param pairs => [[1, 2, 1]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.cycle, 0) AS cycle, coalesce(memory.sweeping, memory.swept, 0) AS swept,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
UNWIND $pairs AS row
MATCH ()-[edge:CO_OCCURS]->()
USING INDEX SEEK edge:CO_OCCURS(src, dst)
WHERE edge.src = row[0] AND edge.dst = row[1] AND CASE
  WHEN edge.usedStrength IS NULL THEN evidence < 0.5
  ELSE edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL END
WITH edge, row, evidence, exp(-0.2) AS x, coalesce(edge.usedStrength, 0.5) AS used,
  CASE WHEN cycle > coalesce(edge.usedCycle, 0) THEN toFloat(cycle) - coalesce(edge.usedCycle, 0) ELSE 0.0 END AS n,
  CASE WHEN swept > coalesce(edge.usedCycle, 0) THEN toFloat(swept) - coalesce(edge.usedCycle, 0) ELSE 0.0 END AS m
WITH *, used - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then,
  edge.emergent IS NOT NULL AND edge.weight = row[2] AND used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) <= 0.1 AS faded
FOREACH (anew IN CASE WHEN faded THEN [edge] ELSE [] END |
  SET anew.strength = null, anew.usedStrength = null, anew.usedCycle = null, anew.activations = null, anew.emergent = null)
FOREACH (kept IN CASE WHEN faded THEN [] ELSE [edge] END |
  SET kept.strength = CASE WHEN then > evidence THEN then ELSE evidence END)
SET edge.rank = toFloat(edge.weight) * coalesce(edge.strength, 0.5) / 0.5
RETURN count(*) AS pairs
