// The head of an export: a memory's language, normaliser, clock and counters, and its number of writes.
// An export reads `writes` before and after: when it moved, somebody wrote meanwhile, and the export begins again.
// Returns: one row (language, normaliser, cycle, swept, sweeping, floor, chunks, terms, createdAt, writes, wiping, importing),
// none without the memory.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
RETURN memory.language AS language, memory.normaliser AS normaliser, memory.cycle AS cycle, memory.swept AS swept,
       memory.sweeping AS sweeping, memory.floor AS floor, memory.chunks AS chunks, memory.terms AS terms,
       CASE WHEN memory.createdAt IS NULL THEN null
            ELSE toString(datetime({datetime: memory.createdAt, timezone: 'Z'})) END AS createdAt,
       memory.writes AS writes, memory.wiping AS wiping, memory.importing AS importing
