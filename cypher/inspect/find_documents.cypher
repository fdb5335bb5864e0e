// Documents by id: a file's id is its URI, unless the caller gave another one.
// Returns: ids.
:param memory => "demo";
:param names => ["file:///island.md"];
UNWIND $names AS name
MATCH (document:Document {memory: $memory, id: name})
RETURN collect(document.id) AS ids
