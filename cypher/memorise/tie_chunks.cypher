// Tie new chunks to their documents.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: chunks, the number tied (it must be the number of rows).
:param memory => "demo";
:param chunks => [["demo:0", "file:///island.md"]];
UNWIND $chunks AS row
MATCH (chunk:Chunk {id: row[0]})
MATCH (document:Document {memory: $memory, id: row[1]})
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
RETURN count(*) AS chunks
