// Set what is learned on edges back, or take it away whole; null is what was never learned.
// The rank is set in a later clause, since one SET reads old values: as of the last sweep, as every writer sets it.
// Returns: edges, the number restored (it must be the number of rows).
:param edges => [[1, 2, 0.6, 0.6, 1, 1, null, 0.6]];
UNWIND $edges AS row
MATCH ()-[edge:CO_OCCURS]->()
USING INDEX SEEK edge:CO_OCCURS(src, dst)
WHERE edge.src = row[0] AND edge.dst = row[1]
SET edge.strength = row[2], edge.usedStrength = row[3], edge.usedCycle = row[4], edge.activations = row[5],
    edge.emergent = row[6]
SET edge.rank = CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END * row[7] / 0.5
RETURN count(*) AS edges
