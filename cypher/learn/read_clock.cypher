// The clock of a memory: the cycle it is in, the cycle that strengths were last brought to, and the one they are being brought to.
// Returns: cycle (null where it is no whole number), swept, sweeping (null where no sweep is under way) and floor (of edges
// with evidence, null where it is 0.5); no row without the memory.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
RETURN CASE WHEN memory.cycle IS :: INTEGER NOT NULL THEN memory.cycle END AS cycle, memory.swept AS swept, memory.sweeping AS sweeping,
       memory.floor AS floor
