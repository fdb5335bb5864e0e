// Remove facts by id; tags that nothing else holds are deleted by another statement.
// Returns: facts, the number removed, and tags, the ids of their ends.
:param memory => "demo";
:param ids => ["demo:f"];
UNWIND $ids AS id
MATCH (subject:Tag)-[fact:FACT {id: id}]->(object:Tag)
WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
WITH fact, subject.id AS first, object.id AS second
DELETE fact
WITH count(*) AS facts, collect(first) + collect(second) AS ends
UNWIND CASE WHEN ends = [] THEN [null] ELSE ends END AS number
RETURN facts, collect(DISTINCT number) AS tags
