// Give chunks that stayed their new place in the document, and the recipe that would make them again.
// Returns: chunks, the number found.
:param chunks => [["demo:0", 1, "rules"]];
UNWIND $chunks AS row
MATCH (chunk:Chunk {id: row[0]})
SET chunk.ordinal = row[1], chunk.recipe = row[2]
RETURN count(*) AS chunks
