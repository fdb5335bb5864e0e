// Forget a memory whole, second part: delete a bounded number of relationships of its first $tags tags.
// Only a page of tags is looked at, so each step costs the same however large the memory is.
// Returns: deleted.
:param memory => "demo";
:param tags => 1000;
:param limit => 10000;
MATCH (tag:Tag)
WHERE tag.memory = $memory AND tag.key IS NOT NULL
WITH tag LIMIT $tags
MATCH (tag)-[edge:CO_OCCURS|FACT|CO_ACTIVATED|TAGGED|ABOUT]-()
WITH DISTINCT edge LIMIT $limit
DELETE edge
RETURN count(*) AS deleted
