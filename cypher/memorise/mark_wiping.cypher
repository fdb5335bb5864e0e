// Mark a memory that is about to be forgotten whole: from now on every writer refuses it, and wiping may begin.
// Returns: name.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.wiping = true, memory.writes = memory.writes + 1
RETURN memory.name AS name
