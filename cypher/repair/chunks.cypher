// Mend chunks: a second link to one tag, a primary tag that is no tag, and a wrong length go.
// Takes the memory's lock first; what it matches is read after that.
// Returns: mended, the number of links and chunks that were changed.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (chunk:Chunk)-[link:TAGGED|ABOUT]->(tag:Tag)
  WHERE chunk.id STARTS WITH memory.name + ':'
  WITH chunk, tag, type(link) AS type, collect(link) AS links
  WHERE size(links) > 1 OR tag.memory <> chunk.memory OR (type = 'ABOUT' AND NOT EXISTS { (chunk)-[:TAGGED]->(tag) })
  WITH CASE WHEN tag.memory <> chunk.memory OR NOT EXISTS { (chunk)-[:TAGGED]->(tag) } THEN links ELSE links[1..] END AS links
  UNWIND links AS link
  DELETE link
  RETURN count(*) AS links
}
CALL (memory) {
  MATCH (chunk:Chunk)
  WHERE chunk.id STARTS WITH memory.name + ':'
  WITH chunk, size([term IN split(chunk.terms, ' ') WHERE term <> '' AND term <> '|']) AS length
  WHERE chunk.length IS NULL OR chunk.length <> length
  SET chunk.length = length
  RETURN count(*) AS lengths
}
RETURN links + lengths AS mended
