// Begin to index a memory anew: until it is done, its normaliser is one that nobody has, so nobody reads or writes it.
// It names the new one: of two programs at once only the later one goes on.
// Returns: name.
:param memory => "demo";
:param language => "en";
:param normaliser => "none";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1, memory.normaliser = 'reindexing ' + $normaliser, memory.language = $language
RETURN memory.name AS name
