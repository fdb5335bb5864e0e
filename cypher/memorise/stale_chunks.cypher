// The chunks of a document that its new text no longer has, at most $limit of them, in order. Told too is how many of those
// that it shall have are there already as $recipe makes them, those that this transaction writes ($mine) left out.
// `$keep` and `$mine` are maps of ids: a map is looked up, a list would be searched.
// Returns: stale, the chunks as [id, number of tags], total of all stale chunks, right: the number of chunks that stay and need nothing.
:param memory => "demo";
:param document => "file:///island.md";
:param keep => {};
:param mine => {};
:param recipe => "rules";
:param limit => 200;
MATCH (:Document {memory: $memory, id: $document})<-[:FROM_DOCUMENT]-(chunk:Chunk)
WITH chunk ORDER BY chunk.ordinal, chunk.id
WITH collect(CASE WHEN $keep[chunk.id] IS NULL THEN chunk END) AS chunks,
     count(CASE WHEN $keep[chunk.id] IS NOT NULL AND $mine[chunk.id] IS NULL AND chunk.recipe = $recipe THEN 1 END) AS right
RETURN [chunk IN chunks[..$limit] | [chunk.id, COUNT { (chunk)-[:TAGGED]->() }]] AS stale, size(chunks) AS total, right
