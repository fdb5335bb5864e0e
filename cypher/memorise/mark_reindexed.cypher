// End of indexing a memory anew: it has its new language and normaliser, both by one program.
// Takes the memory's lock, then asks whether it is still being indexed anew with this normaliser.
// Returns: name; no row where it is not, or another program indexes it with another normaliser.
:param memory => "demo";
:param normaliser => "none";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.normaliser = 'reindexing ' + $normaliser
SET memory.normaliser = $normaliser
RETURN memory.name AS name
