// Whether an episode that passed the gate waits to be learned from: asked at each beat of a job, without the lock.
// Returns: due, one row, or none.
:param memory => "demo";
MATCH (waiting:Episode {memory: $memory, status: 'validated'})
RETURN 1 AS due LIMIT 1
