// Which of these chunks are stored already: what need not be tagged again.
// Returns: ids.
:param ids => ["demo:0"];
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
RETURN collect(chunk.id) AS ids
