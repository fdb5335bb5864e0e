// The next chunks whose terms or number of tokens are damaged, with what both are made from.
// Returns: chunks as [id, title of the document, text], by id.
:param memory => "demo";
:param after => "demo:";
:param limit => 200;
MATCH (chunk:Chunk)
WHERE chunk.id > $after AND chunk.id < $memory + ';' AND chunk.text IS :: STRING NOT NULL
  AND NOT (chunk.terms IS :: STRING NOT NULL AND coalesce(chunk.tokens IS :: INTEGER NOT NULL AND chunk.tokens >= 1, false))
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN collect([chunk.id, COLLECT {
  MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document) WHERE document.title IS :: STRING NOT NULL
  RETURN document.title ORDER BY document.id LIMIT 1
}[0], chunk.text]) AS chunks
