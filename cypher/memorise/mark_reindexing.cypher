// Begin to index a memory anew: until it is done, its normaliser is one that nobody has, so nobody reads or writes it.
// Returns: name.
:param memory => "demo";
:param language => "en";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1, memory.normaliser = 'reindexing', memory.language = $language
RETURN memory.name AS name
