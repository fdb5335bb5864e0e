// Write chunks: new ones, and stored ones whose terms have changed.
// Returns: chunks, the number written.
:param memory => "demo";
:param chunks => [{id: "demo:0", ordinal: 0, text: "The bridge.", tokens: 3, terms: "bridg", length: 1, recipe: "rules"}];
UNWIND $chunks AS row
MERGE (chunk:Chunk {id: row.id})
SET chunk.memory = $memory, chunk.ordinal = row.ordinal, chunk.text = row.text, chunk.tokens = row.tokens,
    chunk.terms = row.terms, chunk.length = row.length, chunk.recipe = row.recipe
RETURN count(*) AS chunks
