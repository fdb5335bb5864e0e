// The tags of a memory by id, in pages, with what their keys are made from.
// Returns: tags as [id, key, display].
:param memory => "demo";
:param after => 0;
:param limit => 1000;
MATCH (tag:Tag)
WHERE tag.id > $after AND tag.memory = $memory
WITH tag ORDER BY tag.id LIMIT $limit
RETURN collect([tag.id, tag.key, tag.display]) AS tags
