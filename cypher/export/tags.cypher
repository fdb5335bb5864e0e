// The next page of tags in the order of their keys, with their number of edges.
// The order is that of the index, by code point: the hint and both columns in ORDER BY keep the planner from sorting.
// Returns: a row a tag: key, id, name, display, degree.
:param memory => "demo";
:param after => "";
:param limit => 1000;
MATCH (tag:Tag)
USING INDEX SEEK tag:Tag(memory, key)
WHERE tag.memory = $memory AND tag.key > $after
WITH tag ORDER BY tag.memory, tag.key LIMIT $limit
RETURN tag.key AS key, tag.id AS id, tag.name AS name, tag.display AS display,
       COUNT { (tag)-[:CO_OCCURS]-() } AS degree
