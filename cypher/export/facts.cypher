// The next page of facts in the order of their ids, which begin with the memory's name.
// Returns: a row a fact: id, subject and object (keys of tags), properties.
:param after => "demo:";
:param until => "demo;";
:param limit => 1000;
MATCH (subject:Tag)-[fact:FACT]->(object:Tag)
WHERE fact.id > $after AND fact.id < $until
WITH subject, fact, object ORDER BY fact.id LIMIT $limit
RETURN fact.id AS id, subject.key AS subject, object.key AS object, properties(fact) AS properties
