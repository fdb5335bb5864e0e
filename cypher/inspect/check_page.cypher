// The last tag key of the next page of tags, for statements that go through all tags in bounded steps.
// The order is that of the index, by code point: the hint and both columns in ORDER BY keep the planner from sorting.
// The key is taken from the collected nodes: aggregated itself, the seek begins at the memory's first key on every page.
// Returns: until, null after the last page.
:param memory => "demo";
:param after => "";
:param limit => 1000;
MATCH (tag:Tag)
USING INDEX SEEK tag:Tag(memory, key)
WHERE tag.memory = $memory AND tag.key > $after
WITH tag ORDER BY tag.memory, tag.key LIMIT $limit
WITH collect(tag) AS tags
RETURN tags[-1].key AS until
