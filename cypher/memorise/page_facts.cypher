// The ids of the first facts of a memory: read under its lock, for removing all of them a page at a time.
// Returns: ids.
:param memory => "demo";
:param limit => 1000;
MATCH ()-[fact:FACT]->()
WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
WITH fact.id AS id LIMIT $limit
RETURN collect(id) AS ids
