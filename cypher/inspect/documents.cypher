// The documents of a memory, in the order of their ids; a document with `unfinished` true is not whole yet.
// Returns: a row a document: id, uri, title, mediaType, chunks, tokens, ingestedAt, unfinished, reason.
:param memory => "demo";
MATCH (document:Document)
WHERE document.memory = $memory AND document.id IS NOT NULL
CALL (document) {
  OPTIONAL MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  RETURN count(chunk) AS chunks, coalesce(sum(chunk.tokens), 0) AS tokens
}
RETURN document.id AS id, document.uri AS uri, document.title AS title, document.mediaType AS mediaType, chunks, tokens,
       document.ingestedAt AS ingestedAt, document.contentHash IS NULL AS unfinished, document.unfinished AS reason
ORDER BY id
