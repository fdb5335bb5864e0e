// Tie chunks to their tags. Under the memory's lock these links are known not to exist, so they are created, not merged.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: links, the number written (it must be the number of rows).
:param links => [["demo:0", 1, 1.0, "entity", true]];
UNWIND $links AS row
MATCH (chunk:Chunk {id: row[0]})
MATCH (tag:Tag {id: row[1]})
CREATE (chunk)-[:TAGGED {salience: row[2], kind: row[3]}]->(tag)
FOREACH (about IN CASE WHEN row[4] THEN [1] ELSE [] END | CREATE (chunk)-[:ABOUT]->(tag))
RETURN count(*) AS links
