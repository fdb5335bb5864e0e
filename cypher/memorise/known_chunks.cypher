// Which of these chunks are stored with the tags that $recipe gives: what need not be tagged again.
// Returns: ids.
:param ids => ["demo:0"];
:param recipe => "rules";
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
WHERE chunk.recipe = $recipe
RETURN collect(chunk.id) AS ids
