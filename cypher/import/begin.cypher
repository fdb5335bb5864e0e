// Mark a memory as one that a file is being imported into, by the digest of the file.
// Killed half-way, the same import finds its mark and goes on; `bamboo check` names an import that was not finished.
// Returns: name.
:param memory => "demo";
:param digest => "0";
MATCH (memory:BambooMemory {name: $memory})
SET memory.importing = $digest
RETURN memory.name AS name
