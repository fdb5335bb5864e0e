// Take the memory's lock: the first statement of every transaction that changes it, alone.
// Incrementing a property holds the node's write lock until commit; only what is read after this is current.
// Setting a property of a node that another transaction deleted while this one waited does nothing and is no error:
// a name of null says that the memory is gone, and that there is no lock.
// Returns: name, normaliser and wiping (whether it is being forgotten), or no row where there is no such memory.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
RETURN memory.name AS name, memory.normaliser AS normaliser, memory.wiping AS wiping
