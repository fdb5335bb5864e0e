// End of indexing a memory anew: it has its new language and normaliser, both by one program.
// Takes the memory's lock, then asks whether it is still being indexed anew in this language.
// Returns: name; no row where it is not, or another program indexes it in another language.
:param memory => "demo";
:param language => "en";
:param normaliser => "none";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.normaliser = 'reindexing' AND memory.language = $language
SET memory.normaliser = $normaliser
RETURN memory.name AS name
