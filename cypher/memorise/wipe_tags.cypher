// Forget a memory whole, third part: delete its first tags once nothing hangs on them.
// Takes the memory's lock, then asks whether it is still being forgotten: another program may have ended that and begun anew.
// Returns: deleted, or no row where no such memory is being forgotten.
:param memory => "demo";
:param tags => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.wiping
CALL (memory) {
  MATCH (tag:Tag)
  WHERE tag.memory = memory.name AND tag.key IS NOT NULL
  WITH tag LIMIT $tags
  WHERE NOT EXISTS { (tag)--() }
  DELETE tag
  RETURN count(*) AS deleted
}
RETURN deleted
