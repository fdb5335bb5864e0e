// Mend a page of tags: those that nothing holds go.
// Takes the memory's lock first; the pages are those of inspect/check_page.
// Returns: mended, the number of tags deleted.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (tag:Tag)
  WHERE tag.memory = memory.name AND tag.key > $after AND tag.key <= $until
    AND NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
    AND NOT EXISTS { (tag)-[joint:CO_ACTIVATED]-() WHERE joint.usedStrength IS NOT NULL }
  DETACH DELETE tag
  RETURN count(*) AS mended
}
RETURN mended
