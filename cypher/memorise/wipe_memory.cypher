// Forget a memory whole, at the very end: the memory itself, and the jobs that were to maintain it.
// Takes the memory's lock, then asks whether it is still being forgotten.
// Returns: deleted.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.wiping
CALL (memory) {
  MATCH (job:BambooJob) WHERE job.memory = memory.name
  DELETE job
}
DELETE memory
RETURN count(*) AS deleted
