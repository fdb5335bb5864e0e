// The last tag id of the next page of tags, for statements that go through all tags in bounded steps.
// Returns: until, null after the last page.
:param memory => "demo";
:param after => 0;
:param limit => 1000;
MATCH (tag:Tag)
WHERE tag.id > $after AND tag.memory = $memory
WITH tag.id AS id ORDER BY id LIMIT $limit
RETURN max(id) AS until
