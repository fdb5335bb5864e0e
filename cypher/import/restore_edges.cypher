// Set what was learned on edges, where the memory has learned nothing on them itself: running it twice changes nothing.
// A strength stands as of the memory's last sweep, or of the one under way: the file's own where it is that, as in a memory
// that was empty, else what follows from the last use (the closed form of decay: see learn/decay).
// The rank is set in a later clause, since one SET reads old values.
// Returns: edges, the number set.
:param memory => "demo";
:param edges => [[1, 2, 0.6, 0.6, 1, 1, null]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.swept, 0) AS swept, coalesce(memory.sweeping, memory.swept, 0) AS sweeping,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
UNWIND $edges AS row
MATCH ()-[edge:CO_OCCURS]->()
WHERE edge.src = row[0] AND edge.dst = row[1]
  AND edge.strength IS NULL AND edge.usedStrength IS NULL AND edge.emergent IS NULL
WITH edge, row, exp(-0.2) AS x, CASE WHEN edge.weight < 1 THEN 0.1 ELSE evidence END AS floor,
  CASE WHEN swept > row[4] THEN toFloat(swept) - row[4] ELSE 0.0 END AS n,
  CASE WHEN sweeping > row[4] THEN toFloat(sweeping) - row[4] ELSE 0.0 END AS m
WITH *, row[3] - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS before, row[3] - 0.05 * (m - x * (1 - x ^ m) / (1 - x)) AS then
WITH *, CASE WHEN before > floor THEN before ELSE floor END AS earlier, CASE WHEN then > floor THEN then ELSE floor END AS later
SET edge.strength = CASE WHEN row[3] IS NULL OR abs(row[2] - earlier) <= 1e-12 THEN row[2] ELSE later END,
    edge.usedStrength = row[3], edge.usedCycle = row[4], edge.activations = row[5], edge.emergent = row[6]
SET edge.rank = CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END * coalesce(edge.strength, 0.5) / 0.5
RETURN count(*) AS edges
