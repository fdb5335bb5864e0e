// The predicates of a memory's facts, as they are spelled, the most used first.
// Returns: a row a predicate: predicate and facts, how many have it.
:param memory => "demo";
MATCH ()-[fact:FACT]->()
WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
RETURN fact.predicate AS predicate, count(*) AS facts ORDER BY facts DESC, predicate
