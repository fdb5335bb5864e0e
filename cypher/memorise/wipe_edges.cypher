// Forget a memory whole, second part: delete a bounded number of relationships of its first $tags tags.
// Takes the memory's lock, then asks whether it is still being forgotten: another program may have ended that and begun anew.
// Only a page of tags is looked at, so each step costs the same however large the memory is.
// Returns: deleted, or no row where no such memory is being forgotten.
:param memory => "demo";
:param tags => 1000;
:param limit => 10000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.wiping
CALL (memory) {
  MATCH (tag:Tag)
  WHERE tag.memory = memory.name AND tag.key IS NOT NULL
  WITH tag LIMIT $tags
  MATCH (tag)-[edge:CO_OCCURS|FACT|CO_ACTIVATED|TAGGED|ABOUT]-()
  WITH DISTINCT edge LIMIT $limit
  DELETE edge
  RETURN count(*) AS deleted
}
RETURN deleted
