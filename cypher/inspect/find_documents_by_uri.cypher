// Documents by URI, for those whose caller gave them another id; looks at every document of the memory.
// Returns: ids.
:param memory => "demo";
:param names => ["file:///island.md"];
MATCH (document:Document)
WHERE document.memory = $memory AND document.id IS NOT NULL AND document.uri IN $names
RETURN collect(document.id) AS ids
