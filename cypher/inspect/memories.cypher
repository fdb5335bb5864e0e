// The memories of the database, by name.
// Returns: a row a memory: name, language, chunks, createdAt.
MATCH (memory:BambooMemory)
RETURN memory.name AS name, memory.language AS language, memory.chunks AS chunks, memory.createdAt AS createdAt
ORDER BY name
