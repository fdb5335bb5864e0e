// Delete chunks with their links; what they gave to pairs and words has been taken back before.
// Returns: chunks, the number deleted.
:param ids => ["demo:0"];
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
DETACH DELETE chunk
RETURN count(*) AS chunks
