// Mark a memory that is about to be forgotten whole: from now on it is neither read nor written, only wiped.
// Returns: name.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.wiping = true, memory.writes = memory.writes + 1
RETURN memory.name AS name
