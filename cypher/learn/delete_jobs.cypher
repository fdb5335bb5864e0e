// Take the jobs of a memory out of the database; the memory's lock comes first.
// Returns: jobs, their names, and others, whether another memory still has some.
:param memory => "demo";
OPTIONAL MATCH (job:BambooJob {memory: $memory})
WITH collect(job) AS found, collect(job.id) AS jobs
FOREACH (job IN found | DELETE job)
RETURN jobs, EXISTS { MATCH (other:BambooJob) WHERE other.memory <> $memory } AS others
