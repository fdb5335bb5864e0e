// Open a memory, and make it where it is new: its language and normaliser are those of whoever comes first.
// Returns: language and normaliser as they are kept.
:param memory => "demo";
:param language => "en";
:param normaliser => "none";
MERGE (memory:BambooMemory {name: $memory})
ON CREATE SET memory.language = $language, memory.normaliser = $normaliser, memory.writes = 0,
  memory.chunks = 0, memory.terms = 0, memory.cycle = 0, memory.swept = 0, memory.createdAt = datetime()
RETURN memory.language AS language, memory.normaliser AS normaliser
