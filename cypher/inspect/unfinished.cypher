// Documents whose ingest was cut short or failed in part, with the reason where there is one.
// Returns: a row a document: id, uri, reason.
:param memory => "demo";
MATCH (document:Document)
WHERE document.memory = $memory AND document.id IS NOT NULL AND document.contentHash IS NULL
RETURN document.id AS id, document.uri AS uri, coalesce(document.unfinished, 'interrupted') AS reason ORDER BY id
