// Set the language of a memory that has lost it: the one whose word rules it has. Takes the memory's lock first.
// Returns: mended, 1 if there is such a memory.
:param memory => "demo";
:param language => "en";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
SET memory.language = $language
RETURN count(*) AS mended
