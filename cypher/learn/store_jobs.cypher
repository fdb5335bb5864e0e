// Write down the jobs of a memory: what Neo4j is to run, how often, and with which limit; the memory's lock comes first.
// The node is what a job reads at each beat and what brings it back after a restart. What it remembers of its runs is
// kept, but for `idleSince`: after a change every job looks again.
// Returns: jobs, the number written.
:param memory => "demo";
:param jobs => [{id: "bamboo/demo/decay", procedure: "decay", statement: "RETURN 1 AS remaining", due: "RETURN 1 AS due"}];
:param guard => "RETURN 1 AS one";
:param seconds => 5;
:param limit => 5000;
UNWIND $jobs AS row
MERGE (job:BambooJob {id: row.id})
ON CREATE SET job.failures = 0, job.installedAt = datetime()
SET job.memory = $memory, job.procedure = row.procedure, job.statement = row.statement, job.due = row.due,
    job.guard = $guard, job.seconds = $seconds, job.limit = $limit, job.idleSince = null
RETURN count(*) AS jobs
