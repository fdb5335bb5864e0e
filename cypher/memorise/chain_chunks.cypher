// Chain the chunks of documents in the order of their ordinals: links that are wrong go, links that are missing come.
// Returns: documents, the number chained.
:param memory => "demo";
:param documents => ["file:///island.md"];
UNWIND $documents AS id
MATCH (document:Document {memory: $memory, id: id})
CALL (document) {
  MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)-[link:NEXT_CHUNK]->(next:Chunk)
  WHERE next.ordinal <> chunk.ordinal + 1
  DELETE link
}
CALL (document) {
  MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WITH chunk ORDER BY chunk.ordinal
  WITH collect(chunk) AS chunks
  UNWIND range(0, size(chunks) - 2) AS i
  WITH chunks[i] AS chunk, chunks[i + 1] AS next
  MERGE (chunk)-[:NEXT_CHUNK]->(next)
}
RETURN count(*) AS documents
