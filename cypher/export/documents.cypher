// The next page of documents in the order of their ids, with the number of their chunks and the last ordinal.
// Times are given in UTC, so that the same instant is the same text whatever zone it was written in.
// Returns: a row a document: id, uri, title, mediaType, contentHash, tagger, unfinished, ingestedAt, chunks, last.
:param memory => "demo";
:param after => "";
:param limit => 500;
MATCH (document:Document)
USING INDEX SEEK document:Document(memory, id)
WHERE document.memory = $memory AND document.id > $after
WITH document ORDER BY document.memory, document.id LIMIT $limit
CALL (document) {
  OPTIONAL MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  RETURN count(chunk) AS chunks, max(chunk.ordinal) AS last
}
RETURN document.id AS id, document.uri AS uri, document.title AS title, document.mediaType AS mediaType,
       document.contentHash AS contentHash, document.tagger AS tagger, document.unfinished AS unfinished,
       CASE WHEN document.ingestedAt IS NULL THEN null
            ELSE toString(datetime({datetime: document.ingestedAt, timezone: 'Z'})) END AS ingestedAt,
       chunks, last
