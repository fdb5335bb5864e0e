// Set what is learned on facts back, by their ids, which are unique.
// Returns: facts, the number restored (it must be the number of rows).
:param facts => [["demo:f", 0.9, 0.9, 0, 0]];
UNWIND $facts AS row
MATCH ()-[fact:FACT]->()
USING INDEX SEEK fact:FACT(id)
WHERE fact.id = row[0]
SET fact.strength = row[1], fact.usedStrength = row[2], fact.usedCycle = row[3], fact.activations = row[4]
RETURN count(*) AS facts
