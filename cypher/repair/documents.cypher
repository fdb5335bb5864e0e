// Mend a page of documents: ordinals become 0, 1, 2 … in their present order, and the chain follows.
// A document that has lost all its chunks, or a chunk's id, is marked unfinished, so that ingesting it again writes them. So is one
// that has lost its title or its URI; a lost URI is the id where that is one, a lost time becomes now.
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
  RETURN collect(document) AS page, collect(document.id)[-1] AS until
}
CALL (page) {
  UNWIND page AS document
  MATCH (document)<-[owner:FROM_DOCUMENT]-(chunk:Chunk)
  WHERE NOT coalesce(chunk.id IS :: STRING NOT NULL AND chunk.id STARTS WITH $memory + ':', false)
  WITH document, owner, chunk, chunk.id IS :: STRING NOT NULL AS foreign
  DELETE owner
  SET document.contentHash = null, document.unfinished = 'the id of a chunk was lost'
  FOREACH (lost IN CASE WHEN foreign THEN [] ELSE [chunk] END | DETACH DELETE lost)
  RETURN count(*) AS nameless
}
CALL (page) {
  UNWIND page AS document
  WITH document WHERE NOT (document.uri IS :: STRING NOT NULL AND document.title IS :: STRING NOT NULL AND document.mediaType IS :: STRING NOT NULL)
  SET document.uri = CASE WHEN document.uri IS :: STRING NOT NULL THEN document.uri WHEN document.id =~ '[a-z]+:.*' THEN document.id ELSE '' END,
      document.title = CASE WHEN document.title IS :: STRING NOT NULL THEN document.title ELSE '' END,
      document.mediaType = CASE WHEN document.mediaType IS :: STRING NOT NULL THEN document.mediaType ELSE 'text/plain' END,
      document.contentHash = null, document.unfinished = 'its title, URI or media type was lost'
  RETURN count(*) AS named
}
CALL (page) {
  UNWIND page AS document
  WITH document WHERE NOT (document.contentHash IS :: STRING AND document.tagger IS :: STRING AND document.unfinished IS :: STRING
    AND document.ingestedAt IS :: ZONED DATETIME NOT NULL)
  SET document.contentHash = CASE WHEN document.contentHash IS :: STRING AND document.tagger IS :: STRING THEN document.contentHash END
  SET document.tagger = CASE WHEN document.tagger IS :: STRING THEN document.tagger END,
      document.unfinished = CASE WHEN document.unfinished IS :: STRING AND document.unfinished IS NOT NULL THEN document.unfinished
        WHEN document.contentHash IS NULL THEN 'how it was tagged was lost' END,
      document.ingestedAt = CASE WHEN document.ingestedAt IS :: ZONED DATETIME NOT NULL THEN document.ingestedAt ELSE datetime() END
  RETURN count(*) AS dated
}
CALL (page) {
  UNWIND page AS document
  WITH document WHERE document.contentHash IS NOT NULL AND NOT EXISTS { (document)<-[:FROM_DOCUMENT]-(:Chunk) }
  SET document.contentHash = null, document.unfinished = 'its chunks were lost'
  RETURN count(*) AS empty
}
CALL (page) {
  UNWIND page AS document
  MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WITH document, chunk ORDER BY document.id, chunk.ordinal, chunk.id
  WITH document, collect(chunk) AS chunks
  UNWIND range(0, size(chunks) - 1) AS ordinal
  WITH document, chunks[ordinal] AS chunk, ordinal, CASE WHEN ordinal + 1 < size(chunks) THEN chunks[ordinal + 1] END AS next
  WHERE NOT chunk.ordinal IS :: INTEGER NOT NULL OR document.contentHash IS NOT NULL AND (chunk.ordinal <> ordinal
     OR COLLECT { MATCH (chunk)-[:NEXT_CHUNK]->(n) RETURN n.id } <> CASE WHEN next IS NULL THEN [] ELSE [next.id] END)
  SET chunk.ordinal = ordinal
  WITH chunk, next
  CALL (chunk) { MATCH (chunk)-[link:NEXT_CHUNK]->() DELETE link }
  FOREACH (follower IN CASE WHEN next IS NULL THEN [] ELSE [next] END | MERGE (chunk)-[:NEXT_CHUNK]->(follower))
  RETURN count(*) AS places
}
RETURN nameless + named + dated + empty + places AS mended, until
