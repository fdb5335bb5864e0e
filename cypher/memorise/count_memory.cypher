// Keep the memory's counters: the number of chunks and the sum of their lengths.
// Returns: chunks and terms as they are now.
:param memory => "demo";
:param chunks => 0;
:param terms => 0;
MATCH (memory:BambooMemory {name: $memory})
SET memory.chunks = memory.chunks + $chunks, memory.terms = memory.terms + $terms
RETURN memory.chunks AS chunks, memory.terms AS terms
