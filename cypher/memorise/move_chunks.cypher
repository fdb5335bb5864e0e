// Give chunks that stayed their new place in the document.
// Returns: chunks, the number found.
:param chunks => [["demo:0", 1]];
UNWIND $chunks AS row
MATCH (chunk:Chunk {id: row[0]})
SET chunk.ordinal = row[1]
RETURN count(*) AS chunks
