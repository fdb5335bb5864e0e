// Count joint uses of tags that the memory has not counted itself and that have no edge yet, with what the edge has learned that
// is still to emerge from three.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number made.
:param pairs => [[1, 2, 3, 0.3, 7, 3]];
UNWIND $pairs AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
WHERE NOT EXISTS { MATCH ()-[edge:CO_OCCURS]->() WHERE edge.src = row[0] AND edge.dst = row[1] }
MERGE (a)-[joint:CO_ACTIVATED {src: row[0], dst: row[1]}]->(b)
ON CREATE SET joint.count = row[2], joint.usedStrength = row[3], joint.usedCycle = row[4], joint.activations = row[5]
RETURN count(*) AS pairs
