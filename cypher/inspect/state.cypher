// What a program must know before it uses a memory: the schema's version and the memory's language, normaliser and counters.
// One row always comes back, also from an empty database: then every value is null.
// Returns: version, language, normaliser, chunks, writes and wiping of the memory.
:param memory => "demo";
OPTIONAL MATCH (schema:BambooSchema {id: 'bamboo'})
OPTIONAL MATCH (memory:BambooMemory {name: $memory})
RETURN schema.version AS version, memory.language AS language, memory.normaliser AS normaliser,
       memory.chunks AS chunks, memory.writes AS writes, memory.wiping AS wiping
