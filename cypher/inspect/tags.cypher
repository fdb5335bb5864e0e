// The tags of a memory, the most used first; $prefix narrows them by the start of their name.
// Returns: a row a tag: name, display, chunks (how many hold it), about (how many are about it), degree (edges).
:param memory => "demo";
:param prefix => "";
MATCH (tag:Tag)
WHERE tag.memory = $memory AND tag.key IS NOT NULL AND tag.name STARTS WITH $prefix
RETURN tag.name AS name, tag.display AS display, COUNT { (tag)<-[:TAGGED]-() } AS chunks,
       COUNT { (tag)<-[:ABOUT]-() } AS about, COUNT { (tag)-[:CO_OCCURS]-() } AS degree
ORDER BY chunks DESC, name, tag.key
