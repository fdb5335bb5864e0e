// The tags of a memory by key, in pages, with what their keys are made from.
// The order is that of the index, by code point: the hint and both columns in ORDER BY keep the planner from sorting.
// Returns: tags as [id, key, display].
:param memory => "demo";
:param after => "";
:param limit => 1000;
MATCH (tag:Tag)
USING INDEX SEEK tag:Tag(memory, key)
WHERE tag.memory = $memory AND tag.key > $after
WITH tag ORDER BY tag.memory, tag.key LIMIT $limit
RETURN collect([tag.id, tag.key, tag.display]) AS tags
