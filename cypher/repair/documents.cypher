// Mend a page of documents: ordinals become 0, 1, 2 … in their present order, and the chain follows.
// A document that has lost all its chunks is marked unfinished, so that ingesting it again writes them.
// Takes the memory's lock first.
// Returns: mended, the number of documents and places that were changed, and until, the page's last document, null after the last page.
:param memory => "demo";
:param after => "";
:param limit => 100;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (document:Document)
  USING INDEX SEEK document:Document(memory, id)
  WHERE document.memory = $memory AND document.id > $after
  WITH document ORDER BY document.memory, document.id LIMIT $limit
  RETURN collect(CASE WHEN document.contentHash IS NOT NULL THEN document END) AS documents, collect(document.id)[-1] AS until
}
CALL (documents) {
  UNWIND documents AS document
  WITH document WHERE NOT EXISTS { (document)<-[:FROM_DOCUMENT]-(:Chunk) }
  SET document.contentHash = null, document.unfinished = 'its chunks were lost'
  RETURN count(*) AS empty
}
CALL (documents) {
  UNWIND documents AS document
  MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WITH document, chunk ORDER BY document.id, chunk.ordinal, chunk.id
  WITH document, collect(chunk) AS chunks
  UNWIND range(0, size(chunks) - 1) AS ordinal
  WITH chunks[ordinal] AS chunk, ordinal, CASE WHEN ordinal + 1 < size(chunks) THEN chunks[ordinal + 1] END AS next
  WHERE chunk.ordinal <> ordinal OR chunk.ordinal IS NULL
     OR COLLECT { MATCH (chunk)-[:NEXT_CHUNK]->(n) RETURN n.id } <> CASE WHEN next IS NULL THEN [] ELSE [next.id] END
  SET chunk.ordinal = ordinal
  WITH chunk, next
  CALL (chunk) { MATCH (chunk)-[link:NEXT_CHUNK]->() DELETE link }
  FOREACH (follower IN CASE WHEN next IS NULL THEN [] ELSE [next] END | MERGE (chunk)-[:NEXT_CHUNK]->(follower))
  RETURN count(*) AS places
}
RETURN empty + places AS mended, until
