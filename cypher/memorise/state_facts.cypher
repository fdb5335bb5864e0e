// State facts that are new: strength begins with the confidence, at the memory's present cycle, and nothing was learned yet.
// A fact is found by its id; MERGE, so that one that is there already is left as it is.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: facts, the number found or made.
:param memory => "demo";
:param facts => [{id: "demo:f", from: 1, to: 2, subject: "Ada", predicate: "knows", object: "Leo", confidence: 0.9, source: "", validTo: null}];
MATCH (memory:BambooMemory {name: $memory})
WITH memory.cycle AS cycle
UNWIND $facts AS row
MATCH (subject:Tag {id: row.from})
MATCH (object:Tag {id: row.to})
MERGE (subject)-[fact:FACT {id: row.id}]->(object)
ON CREATE SET fact.subject = row.subject, fact.predicate = row.predicate, fact.object = row.object,
  fact.confidence = row.confidence, fact.source = row.source, fact.validFrom = row.validFrom, fact.validTo = row.validTo,
  fact.strength = row.confidence, fact.usedStrength = row.confidence, fact.usedCycle = cycle, fact.activations = 0
RETURN count(*) AS facts
