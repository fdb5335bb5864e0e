// Pairs that have evidence now are counted as used together no longer: an edge joins them.
// One that was used together three times, and only waited for learn/emerge, hands what it has learned to that edge, as if it
// had emerged before: strength and rank as of the memory's last sweep, or of the one under way.
// Allows: CartesianProduct because each side is one edge, found by its unique pair.
// Returns: pairs, the number settled.
:param memory => "demo";
:param pairs => [[1, 2, 1]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.cycle, 0) AS cycle, coalesce(memory.sweeping, memory.swept, 0) AS swept,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
UNWIND $pairs AS row
MATCH ()-[joint:CO_ACTIVATED]->()
USING INDEX SEEK joint:CO_ACTIVATED(src, dst)
WHERE joint.src = row[0] AND joint.dst = row[1]
MATCH ()-[edge:CO_OCCURS]->()
USING INDEX SEEK edge:CO_OCCURS(src, dst)
WHERE edge.src = row[0] AND edge.dst = row[1]
WITH edge, joint, cycle, swept, evidence, exp(-0.2) AS x, edge.usedStrength IS NULL AND joint.count >= 3
  AND joint.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND joint.usedCycle IS :: INTEGER NOT NULL AS grown
WITH *, CASE WHEN grown AND cycle > joint.usedCycle THEN toFloat(cycle) - joint.usedCycle ELSE 0.0 END AS n,
  CASE WHEN grown AND swept > joint.usedCycle THEN toFloat(swept) - joint.usedCycle ELSE 0.0 END AS m,
  CASE WHEN grown THEN joint.usedStrength ELSE 0.0 END AS used
WITH *, used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS now, used - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then
FOREACH (heir IN CASE WHEN grown AND now > 0.1 THEN [edge] ELSE [] END |
  SET heir.emergent = true, heir.usedStrength = used, heir.usedCycle = joint.usedCycle, heir.activations = joint.activations,
      heir.strength = CASE WHEN then > evidence THEN then ELSE evidence END
  SET heir.rank = toFloat(heir.weight) * heir.strength / 0.5)
DELETE joint
RETURN count(*) AS pairs
