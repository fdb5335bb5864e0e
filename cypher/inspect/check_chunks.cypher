// Invariants of a chunk: its length, its document, its tags.
// The length is the number of its terms; it belongs to one document of its memory; its tags are of its memory,
// each linked once; its primary tags (ABOUT) are among its tags.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (chunk:Chunk)
WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';'
CALL (chunk) {
  WITH chunk, size([term IN split(CASE WHEN chunk.terms IS :: STRING NOT NULL THEN chunk.terms ELSE '' END, ' ') WHERE term <> '' AND term <> '|']) AS length
  WHERE chunk.length <> length OR chunk.length IS NULL
  RETURN 'length ' + toString(length) AS expected, 'length ' + coalesce(toStringOrNull(chunk.length), 'null') AS found
  UNION ALL
  WITH chunk
  WITH chunk, COLLECT { MATCH (chunk)-[:FROM_DOCUMENT]->(document) RETURN coalesce(document.memory, '') } AS owners
  WHERE owners <> [$memory] OR chunk.memory IS NULL OR chunk.memory <> $memory
  RETURN 'one document of its memory' AS expected,
         toString(size(owners)) + ' documents, memory ' + coalesce(toStringOrNull(chunk.memory), 'null') AS found
  UNION ALL
  WITH chunk
  MATCH (chunk)-[link:TAGGED]->(tag:Tag)
  WITH chunk, tag, count(link) AS links WHERE links > 1 OR tag.memory IS NULL OR tag.memory <> $memory
  RETURN 'one link to the tag ' + coalesce(toStringOrNull(tag.name), 'null') + ' of its memory' AS expected, toString(links) + ' links' AS found
  UNION ALL
  WITH chunk
  MATCH (chunk)-[link:ABOUT]->(tag:Tag)
  WITH chunk, tag, count(link) AS links WHERE links > 1 OR NOT EXISTS { (chunk)-[:TAGGED]->(tag) }
  RETURN 'a primary tag is a tag: ' + coalesce(toStringOrNull(tag.name), 'null') AS expected, toString(links) + ' ABOUT' AS found
}
RETURN chunk.id AS where, expected, found ORDER BY where, expected, found
