// The ids of tags by key.
// Returns: tags as [key, id] of those that are there.
:param memory => "demo";
:param keys => ["ada kern"];
UNWIND $keys AS key
MATCH (tag:Tag {memory: $memory, key: key})
RETURN collect([tag.key, tag.id]) AS tags
