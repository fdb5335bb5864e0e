// The jobs that were installed for a memory: what Neo4j is wanted to run, and how the last run went.
// Returns: a row a job: job, procedure, statement, due, guard, seconds, limit, ranAt, error, failures.
:param memory => "demo";
MATCH (job:BambooJob {memory: $memory})
RETURN job.id AS job, job.procedure AS procedure, job.statement AS statement, job.due AS due, job.guard AS guard,
       job.seconds AS seconds, job.limit AS limit, job.ranAt AS ranAt, job.error AS error, job.failures AS failures
ORDER BY job
