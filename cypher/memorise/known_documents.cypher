// What the memory knows of some documents, to find those that need no work at all.
// Returns: id, uri, title, mediaType, contentHash (null while a document is unfinished) and tagger of each that is there.
:param memory => "demo";
:param documents => ["file:///island.md"];
UNWIND $documents AS id
MATCH (document:Document {memory: $memory, id: id})
RETURN document.id AS id, document.uri AS uri, document.title AS title, document.mediaType AS mediaType,
       document.contentHash AS contentHash, document.tagger AS tagger
