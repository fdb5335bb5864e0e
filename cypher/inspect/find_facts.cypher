// Which of some ids are facts of the memory.
// Returns: ids.
:param memory => "demo";
:param ids => ["demo:f"];
UNWIND $ids AS id
MATCH ()-[fact:FACT {id: id}]->()
WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
RETURN collect(fact.id) AS ids
