// Which documents of a file are in the memory already.
// Returns: a row a document: id and unfinished, the reason why it is not whole.
:param memory => "demo";
:param documents => ["file:///island.md"];
UNWIND $documents AS id
MATCH (document:Document {memory: $memory, id: id})
RETURN document.id AS id, document.unfinished AS unfinished
