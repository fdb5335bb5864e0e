// Start every job that the database holds, of all its memories; one that runs already is replaced by itself.
// Needs: APOC, whose scheduler keeps jobs in memory only. As `apoc.initializer` in apoc.conf this brings them back
// each time the server starts, whatever was installed or removed since that line was written.
// Returns: a row a job: job, its name.
MATCH (job:BambooJob)
CALL apoc.periodic.repeat(job.id, job.guard, job.seconds, {params: {job: job.id}}) YIELD name
RETURN name AS job ORDER BY job
