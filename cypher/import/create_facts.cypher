// State facts that the memory does not have; one with the same id is left as it is.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: facts, the number made.
:param facts => [{id: "demo:f", subject: 1, object: 2, properties: {predicate: "knows"}, times: {}, dates: {}}];
UNWIND $facts AS row
WITH row WHERE NOT EXISTS { MATCH ()-[known:FACT]->() WHERE known.id = row.id }
MATCH (subject:Tag {id: row.subject})
MATCH (object:Tag {id: row.object})
CREATE (subject)-[fact:FACT {id: row.id}]->(object)
SET fact += row.properties
FOREACH (name IN keys(row.times) | SET fact[name] = datetime(row.times[name]))
FOREACH (name IN keys(row.dates) | SET fact[name] = date(row.dates[name]))
RETURN count(*) AS facts
