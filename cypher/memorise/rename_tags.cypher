// Give tags new keys and names where no tag has the new key; edges, facts and what was learned stay with the tag.
// Takes the memory's lock, then asks whether it is still being indexed anew with this normaliser.
// A sweep that is under way goes through the tags by key, so it begins anew.
// Returns: tags, the number renamed; no row where it is not, or another program indexes it with another normaliser.
:param memory => "demo";
:param normaliser => "none";
:param tags => [[1, "ada kern", "ada kern"]];
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.normaliser = 'reindexing ' + $normaliser
SET memory.sweepAfter = null
WITH memory
CALL (memory) {
  UNWIND $tags AS row
  MATCH (tag:Tag {id: row[0]})
  WHERE tag.memory = memory.name AND NOT EXISTS { (:Tag {memory: $memory, key: row[1]}) }
  SET tag.key = row[1], tag.name = row[2]
  RETURN count(*) AS tags
}
RETURN tags
