// Take back weight from pairs of tags; a pair that reaches 0 is deleted, unless it is emergent and has not faded.
// The pairs come pre-summed and sorted by (src, dst), so that all writers lock edges in one order.
// The rank is set in a later clause, since one SET reads old values; an edge never used has strength 0.5. Without evidence
// the floor of an emergent edge is 0.1 again, so its strength is set as of the memory's last sweep, or of the one under way,
// which may have passed it (the closed form of decay: see learn/decay).
// Returns: pairs, the number of edges found (it must be the number of rows).
:param memory => "demo";
:param pairs => [[1, 2, 1]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.cycle, 0) AS cycle, coalesce(memory.sweeping, memory.swept, 0) AS swept
UNWIND $pairs AS row
MATCH ()-[edge:CO_OCCURS]->()
WHERE edge.src = row[0] AND edge.dst = row[1]
SET edge.weight = edge.weight - row[2]
WITH edge, cycle, swept, exp(-0.2) AS x, edge.weight <= 0 AS bare, edge.weight <= 0 AND edge.emergent IS NOT NULL
  AND edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL AS grown
WITH *, CASE WHEN grown AND cycle > edge.usedCycle THEN toFloat(cycle) - edge.usedCycle ELSE 0.0 END AS n,
  CASE WHEN grown AND swept > edge.usedCycle THEN toFloat(swept) - edge.usedCycle ELSE 0.0 END AS m,
  CASE WHEN grown THEN edge.usedStrength ELSE 0.0 END AS used
WITH *, grown AND used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) > 0.1 AS stays, used - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then
FOREACH (kept IN CASE WHEN stays THEN [edge] ELSE [] END | SET kept.strength = CASE WHEN then > 0.1 THEN then ELSE 0.1 END)
SET edge.rank = CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END
  * CASE WHEN edge.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL THEN edge.strength ELSE 0.5 END / 0.5
FOREACH (gone IN CASE WHEN bare AND NOT stays THEN [edge] ELSE [] END | DELETE gone)
RETURN count(*) AS pairs
