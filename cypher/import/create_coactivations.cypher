// Count joint uses of tags that the memory has not counted itself and that have no edge yet.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number made.
:param pairs => [[1, 2, 1]];
UNWIND $pairs AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
WHERE NOT EXISTS { MATCH ()-[edge:CO_OCCURS]->() WHERE edge.src = row[0] AND edge.dst = row[1] }
MERGE (a)-[joint:CO_ACTIVATED {src: row[0], dst: row[1]}]->(b)
ON CREATE SET joint.count = row[2]
RETURN count(*) AS pairs
