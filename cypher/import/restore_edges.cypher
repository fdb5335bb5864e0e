// Set what was learned on edges, where the memory has learned nothing on them itself: running it twice changes nothing.
// The rank is set in a later clause, since one SET reads old values.
// Returns: edges, the number set.
:param edges => [[1, 2, 0.6, 0.6, 1, 1, null]];
UNWIND $edges AS row
MATCH ()-[edge:CO_OCCURS]->()
WHERE edge.src = row[0] AND edge.dst = row[1]
  AND edge.strength IS NULL AND edge.usedStrength IS NULL AND edge.emergent IS NULL
SET edge.strength = row[2], edge.usedStrength = row[3], edge.usedCycle = row[4], edge.activations = row[5],
    edge.emergent = row[6]
SET edge.rank = CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END * coalesce(edge.strength, 0.5) / 0.5
RETURN count(*) AS edges
