// Remove the tag links of chunks that are about to get new ones.
// Returns: chunks, the number of chunks found.
:param ids => ["demo:0"];
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
CALL (chunk) { MATCH (chunk)-[link:TAGGED|ABOUT]->(:Tag) DELETE link }
RETURN count(*) AS chunks
