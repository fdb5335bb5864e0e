// Forget a memory whole, at the very end: the memory itself.
// Takes the memory's lock, then asks whether it is still being forgotten.
// Returns: deleted.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.wiping
DELETE memory
RETURN count(*) AS deleted
