// Documents by id or by URI, for commands that take either.
// Returns: ids.
:param memory => "demo";
:param names => ["file:///island.md"];
MATCH (document:Document)
WHERE document.memory = $memory AND document.id IS NOT NULL AND (document.id IN $names OR document.uri IN $names)
RETURN collect(document.id) AS ids
