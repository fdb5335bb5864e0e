// Mend documents: chunks without a document go, ordinals become 0, 1, 2 … in their present order, and the chain follows.
// A document that has lost all its chunks is marked unfinished, so that ingesting it again writes them.
// Takes the memory's lock first.
// Returns: mended, the number of chunks, places and links that were changed.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (chunk:Chunk)
  WHERE chunk.id STARTS WITH memory.name + ':' AND NOT EXISTS { (chunk)-[:FROM_DOCUMENT]->(:Document) }
  DETACH DELETE chunk
  RETURN count(*) AS orphans
}
CALL (memory) {
  MATCH (document:Document)
  WHERE document.memory = memory.name AND document.id IS NOT NULL AND document.contentHash IS NOT NULL
    AND NOT EXISTS { (document)<-[:FROM_DOCUMENT]-(:Chunk) }
  SET document.contentHash = null, document.unfinished = 'its chunks were lost'
  RETURN count(*) AS empty
}
CALL (memory) {
  MATCH (document:Document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WHERE document.memory = memory.name AND document.id IS NOT NULL AND document.contentHash IS NOT NULL
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
RETURN orphans + empty + places AS mended
