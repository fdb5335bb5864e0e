// The jobs that run inside Neo4j now, as its scheduler knows them.
// Needs: APOC. A job that failed is `done`, and is dropped from this list when another one is scheduled.
// Returns: a row a job whose name begins with $prefix: job and alive.
:param prefix => "bamboo/";
CALL apoc.periodic.list() YIELD name, done, cancelled
WITH name, done, cancelled WHERE name STARTS WITH $prefix
RETURN name AS job, NOT (done OR cancelled) AS alive ORDER BY job
