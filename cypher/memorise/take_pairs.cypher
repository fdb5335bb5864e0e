// Take back weight from pairs of tags; a pair that reaches 0 is deleted, unless it is emergent.
// The pairs come pre-summed and sorted by (src, dst), so that all writers lock edges in one order.
// The rank is set in a later clause, since one SET reads old values; an edge never used has strength 0.5.
// Returns: pairs, the number of edges found (it must be the number of rows).
:param pairs => [[1, 2, 1]];
UNWIND $pairs AS row
MATCH ()-[edge:CO_OCCURS]->()
WHERE edge.src = row[0] AND edge.dst = row[1]
SET edge.weight = edge.weight - row[2]
SET edge.rank = CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END * coalesce(edge.strength, 0.5) / 0.5
FOREACH (gone IN CASE WHEN edge.weight <= 0 AND edge.emergent IS NULL THEN [edge] ELSE [] END | DELETE gone)
RETURN count(*) AS pairs
