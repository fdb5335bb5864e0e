// Give an empty memory the language, word rules and clock of the one that was exported.
// Returns: name.
:param memory => "demo";
:param language => "en";
:param normaliser => "none";
:param cycle => 0;
:param swept => 0;
:param sweeping => null;
:param floor => null;
:param createdAt => "2026-01-01T00:00:00Z";
MATCH (memory:BambooMemory {name: $memory})
SET memory.language = $language, memory.normaliser = $normaliser, memory.cycle = $cycle, memory.swept = $swept,
    memory.sweeping = $sweeping, memory.floor = $floor, memory.createdAt = coalesce(datetime($createdAt), memory.createdAt)
RETURN memory.name AS name
