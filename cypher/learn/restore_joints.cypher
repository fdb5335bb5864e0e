// Set the count of joint uses of tags back, with what an edge that is still to emerge of it has learned; 0 takes it away.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number restored.
:param joints => [[1, 2, 2, null, null, null]];
UNWIND $joints AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
MERGE (a)-[joint:CO_ACTIVATED {src: row[0], dst: row[1]}]->(b)
SET joint.count = row[2], joint.usedStrength = row[3], joint.usedCycle = row[4], joint.activations = row[5]
FOREACH (gone IN CASE WHEN row[2] < 1 THEN [joint] ELSE [] END | DELETE gone)
RETURN count(*) AS pairs
