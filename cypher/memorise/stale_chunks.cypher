// The chunks of a document that its new text no longer has, at most $limit of them, in order.
// `$keep` is a map of the ids that stay: a map is looked up, a list would be searched.
// Returns: ids, and how many more there are.
:param memory => "demo";
:param document => "file:///island.md";
:param keep => {};
:param limit => 200;
MATCH (:Document {memory: $memory, id: $document})<-[:FROM_DOCUMENT]-(chunk:Chunk)
WHERE $keep[chunk.id] IS NULL
WITH chunk ORDER BY chunk.ordinal, chunk.id
WITH collect(chunk.id) AS ids
RETURN ids[..$limit] AS ids, size(ids) AS total
