// Stop jobs that run inside Neo4j; a name that does not run is passed over.
// Needs: APOC.
// Returns: a row a job that was stopped: job.
:param jobs => ["bamboo/demo/decay"];
UNWIND $jobs AS job
CALL apoc.periodic.cancel(job) YIELD name
RETURN name AS job ORDER BY job
