// Forget a memory whole, third part: delete its first tags once nothing hangs on them.
// Returns: deleted.
:param memory => "demo";
:param tags => 1000;
MATCH (tag:Tag)
WHERE tag.memory = $memory AND tag.key IS NOT NULL
WITH tag LIMIT $tags
WHERE NOT EXISTS { (tag)--() }
DELETE tag
RETURN count(*) AS deleted
