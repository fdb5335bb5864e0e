// Mend a page of chunks. One without a document or without its text goes, and so do a second document, a second link to one tag
// and a primary tag that is no tag; the memory's name and the length are set anew. Of two links the one with the smaller salience
// stays. A document that lost its id is called by its URI. What only the source can tell (a chunk's text, the kind and the
// salience of a tag) makes the document unfinished: ingesting it again writes it anew; until then such a tag is a faint phrase.
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
  RETURN collect(chunk) AS page, max(chunk.id) AS until
}
CALL (page) {
  UNWIND page AS chunk
  MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
  WHERE NOT (document.id IS :: STRING NOT NULL AND coalesce(document.memory = $memory, false))
    AND NOT (coalesce(document.memory <> $memory, false) AND EXISTS { (:BambooMemory {name: document.memory}) })
  WITH DISTINCT document, CASE WHEN document.id IS :: STRING NOT NULL THEN document.id
    WHEN document.uri IS :: STRING NOT NULL AND document.uri <> '' THEN document.uri ELSE 'lost:' + elementId(document) END AS id
  WHERE NOT EXISTS { MATCH (other:Document {memory: $memory, id: id}) WHERE other <> document }
  SET document.id = id, document.memory = $memory
  RETURN count(*) AS owners
}
CALL (page) {
  UNWIND page AS chunk
  MATCH (chunk)-[owner:FROM_DOCUMENT]->(document:Document)
  WITH chunk, owner, coalesce(document.memory = $memory, false) AS ours ORDER BY ours DESC, document.id
  WITH chunk, collect([owner, ours]) AS found
  UNWIND [each IN found[1..] + [first IN found[..1] WHERE NOT first[1]] | each[0]] AS owner
  DELETE owner
  RETURN count(*) AS others
}
CALL (page) {
  UNWIND page AS chunk
  OPTIONAL MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
  WITH chunk, document, chunk.text IS :: STRING NOT NULL AND chunk.text <> '' AS written
  FOREACH (source IN CASE WHEN written OR document IS NULL THEN [] ELSE [document] END |
    SET source.contentHash = null, source.unfinished = 'the text of a chunk was lost')
  WITH CASE WHEN written AND document IS NOT NULL THEN chunk END AS kept,
       CASE WHEN written AND document IS NOT NULL THEN null ELSE chunk END AS gone
  WITH collect(kept) AS chunks, collect(gone) AS gone
  FOREACH (lost IN gone | DETACH DELETE lost)
  RETURN chunks, size(gone) AS lost
}
CALL (chunks) {
  UNWIND chunks AS chunk
  MATCH (chunk)-[link:TAGGED|ABOUT]->(tag:Tag)
  WITH chunk, tag, link ORDER BY link.salience, link.kind
  WITH chunk, tag, type(link) AS type, collect(link) AS links
  WITH links, type = 'ABOUT' AND NOT EXISTS { (chunk)-[:TAGGED]->(tag) } OR coalesce(tag.memory <> $memory, false) AS foreign
  WHERE size(links) > 1 OR foreign
  UNWIND CASE WHEN foreign THEN links ELSE links[1..] END AS link
  DELETE link
  RETURN count(*) AS links
}
CALL (chunks) {
  UNWIND chunks AS chunk
  MATCH (chunk)-[link:TAGGED]->(:Tag)
  WHERE NOT coalesce(link.kind IN ['entity', 'date', 'phrase'], false)
     OR NOT coalesce(link.salience IS :: FLOAT NOT NULL AND link.salience > 0 AND link.salience <= 1, false)
  MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
  SET link.kind = CASE WHEN link.kind IN ['entity', 'date', 'phrase'] THEN link.kind ELSE 'phrase' END,
      link.salience = CASE WHEN link.salience IS :: FLOAT NOT NULL AND link.salience > 0 AND link.salience <= 1 THEN link.salience ELSE 0.1 END,
      chunk.recipe = null, document.contentHash = null, document.unfinished = 'the kind or the salience of a tag was lost'
  RETURN count(*) AS faint
}
CALL (chunks) {
  UNWIND chunks AS chunk
  WITH chunk, size([term IN split(CASE WHEN chunk.terms IS :: STRING NOT NULL THEN chunk.terms ELSE '' END, ' ') WHERE term <> '' AND term <> '|']) AS length
  WHERE NOT chunk.length IS :: INTEGER NOT NULL OR chunk.length <> length OR chunk.memory IS NULL OR chunk.memory <> $memory OR NOT chunk.recipe IS :: STRING
  SET chunk.length = length, chunk.memory = $memory, chunk.recipe = CASE WHEN chunk.recipe IS :: STRING THEN chunk.recipe END
  RETURN count(*) AS lengths
}
RETURN owners + others + lost + links + faint + lengths AS mended, until
