// Take the memory's lock: the first statement of every transaction that changes it, alone.
// Incrementing a property holds the node's write lock until commit; only what is read after this is current.
// Returns: normaliser and wiping (whether it is being forgotten), or no row where there is no such memory.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
RETURN memory.normaliser AS normaliser, memory.wiping AS wiping
