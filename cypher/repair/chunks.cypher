// Mend a page of chunks. One without a document goes, and so do a second link to one tag and a primary tag that is no tag;
// the memory's name and the length are set anew. Of two links the one with the smaller salience stays.
// Takes the memory's lock first; what it matches is read after that.
// Returns: mended, the number of links and chunks that were changed, and until, the id of the page's last chunk, null after the last page.
:param memory => "demo";
:param after => "demo:";
:param limit => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (chunk:Chunk)
  WHERE chunk.id > $after AND chunk.id < $memory + ';'
  WITH chunk ORDER BY chunk.id LIMIT $limit
  WITH chunk, EXISTS { (chunk)-[:FROM_DOCUMENT]->(:Document) } AS owned, chunk.id AS id
  WITH collect(CASE WHEN owned THEN chunk END) AS chunks, collect(CASE WHEN NOT owned THEN chunk END) AS orphans, max(id) AS until
  FOREACH (orphan IN orphans | DETACH DELETE orphan)
  RETURN chunks, size(orphans) AS lost, until
}
CALL (chunks) {
  UNWIND chunks AS chunk
  MATCH (chunk)-[link:TAGGED|ABOUT]->(tag:Tag)
  WITH chunk, tag, link ORDER BY link.salience, link.kind
  WITH chunk, tag, type(link) AS type, collect(link) AS links
  WITH links, type = 'ABOUT' AND NOT EXISTS { (chunk)-[:TAGGED]->(tag) } OR tag.memory <> $memory AS foreign
  WHERE size(links) > 1 OR foreign
  UNWIND CASE WHEN foreign THEN links ELSE links[1..] END AS link
  DELETE link
  RETURN count(*) AS links
}
CALL (chunks) {
  UNWIND chunks AS chunk
  WITH chunk, size([term IN split(coalesce(chunk.terms, ''), ' ') WHERE term <> '' AND term <> '|']) AS length
  WHERE chunk.length IS NULL OR chunk.length <> length OR chunk.memory IS NULL OR chunk.memory <> $memory
  SET chunk.length = length, chunk.memory = $memory
  RETURN count(*) AS lengths
}
RETURN lost + links + lengths AS mended, until
