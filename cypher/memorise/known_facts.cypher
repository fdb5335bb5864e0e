// Which of some facts the memory has already: asked under its lock, so that each is stated once.
// Returns: ids.
:param ids => ["demo:f"];
UNWIND $ids AS id
MATCH ()-[fact:FACT {id: id}]->()
RETURN collect(fact.id) AS ids
