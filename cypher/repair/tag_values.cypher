// Give damaged tags the key, name, spelling and id that were derived for them. One whose key or id another tag has by now goes, and
// so does one without a key: their documents become unfinished, so that ingesting them again ties the chunks to the right tags.
// Takes the memory's lock first.
// Returns: mended, the number of tags.
:param memory => "demo";
:param tags => [["4:0", "ada kern", "ada kern", "Ada Kern", 1]];
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL () {
  UNWIND $tags AS row
  MATCH (tag:Tag) WHERE elementId(tag) = row[0]
  CALL (tag, row) {
    WITH tag, row
    WHERE row[1] = '' OR EXISTS { MATCH (other:Tag {memory: $memory, key: row[1]}) WHERE other <> tag }
       OR EXISTS { MATCH (other:Tag {id: row[4]}) WHERE other <> tag }
    OPTIONAL MATCH (tag)<-[:TAGGED]-(chunk:Chunk)
    OPTIONAL MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
    SET chunk.recipe = null, document.contentHash = null, document.unfinished = 'a tag was lost'
    RETURN count(*) > 0 AS gone
  }
  FOREACH (lost IN CASE WHEN gone THEN [tag] ELSE [] END | DETACH DELETE lost)
  FOREACH (kept IN CASE WHEN gone THEN [] ELSE [tag] END |
    SET kept.memory = $memory, kept.key = row[1], kept.name = row[2], kept.display = row[3], kept.id = row[4])
  RETURN count(*) AS mended
}
RETURN mended
