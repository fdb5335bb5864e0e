// Take the mark of an import away: everything in its file is there.
// Returns: name, no row where another import has taken over.
:param memory => "demo";
:param digest => "0";
MATCH (memory:BambooMemory {name: $memory})
WHERE memory.importing = $digest
REMOVE memory.importing
RETURN memory.name AS name
