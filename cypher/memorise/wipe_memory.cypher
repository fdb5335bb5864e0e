// Forget a memory whole, at the very end: the memory itself.
// Returns: deleted.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
WHERE memory.wiping
DELETE memory
RETURN count(*) AS deleted
