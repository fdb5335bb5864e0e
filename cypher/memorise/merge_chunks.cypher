// Write chunks and tie each to its document.
// Returns: chunks, the number written.
:param memory => "demo";
:param chunks => [{id: "demo:0", document: "file:///island.md", ordinal: 0, text: "The bridge.", tokens: 3, terms: "bridg", length: 1}];
UNWIND $chunks AS row
MATCH (document:Document {memory: $memory, id: row.document})
MERGE (chunk:Chunk {id: row.id})
SET chunk.memory = $memory, chunk.ordinal = row.ordinal, chunk.text = row.text, chunk.tokens = row.tokens,
    chunk.terms = row.terms, chunk.length = row.length
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
RETURN count(*) AS chunks
