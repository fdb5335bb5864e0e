// Forget a memory whole, first part: delete a bounded number of relationships of its tags.
// Returns: deleted.
:param memory => "demo";
:param limit => 10000;
MATCH (tag:Tag)-[edge:CO_OCCURS|FACT|CO_ACTIVATED|TAGGED|ABOUT]-()
WHERE tag.memory = $memory AND tag.key IS NOT NULL
WITH DISTINCT edge LIMIT $limit
DELETE edge
RETURN count(*) AS deleted
