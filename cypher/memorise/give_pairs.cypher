// Count pairs of tags that occur in one more chunk: MERGE an edge a pair and increment its weight.
// The pairs come pre-summed and sorted by (src, dst), src being the smaller id; the unique index on (src, dst)
// makes each a seek, also between two hubs. The rank is set in a later clause, since one SET reads old values.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number of edges written (it must be the number of rows).
:param pairs => [[1, 2, 1]];
UNWIND $pairs AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
MERGE (a)-[edge:CO_OCCURS {src: row[0], dst: row[1]}]->(b)
ON CREATE SET edge.weight = row[2]
ON MATCH SET edge.weight = edge.weight + row[2]
SET edge.rank = toFloat(edge.weight) * coalesce(edge.strength, 0.5) / 0.5
RETURN count(*) AS pairs
