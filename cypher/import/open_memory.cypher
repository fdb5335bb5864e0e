// Make a memory where it is new and take its lock: the first statement of an import, alone.
// Returns: writes after this, language, normaliser, cycle, swept, wiping (whether it is being forgotten) and importing (the file being read).
:param memory => "demo";
:param language => "en";
:param normaliser => "none";
MERGE (memory:BambooMemory {name: $memory})
ON CREATE SET memory.writes = 1, memory.chunks = 0, memory.terms = 0, memory.cycle = 0, memory.swept = 0,
  memory.language = $language, memory.normaliser = $normaliser, memory.createdAt = datetime()
ON MATCH SET memory.writes = memory.writes + 1
RETURN memory.writes AS writes, memory.language AS language, memory.normaliser AS normaliser, memory.cycle AS cycle,
       memory.swept AS swept, memory.wiping AS wiping, memory.importing AS importing
