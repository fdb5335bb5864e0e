// Delete documents that have no chunk left.
// Returns: documents, the number deleted.
:param memory => "demo";
:param documents => ["file:///island.md"];
UNWIND $documents AS id
MATCH (document:Document {memory: $memory, id: id})
WHERE NOT EXISTS { (document)<-[:FROM_DOCUMENT]-() }
DELETE document
RETURN count(*) AS documents
