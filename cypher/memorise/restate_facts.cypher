// State facts again whose source now gives another confidence or another end of validity; equal ones are not touched.
// What was learned stays. A fact that was never used is as if it had been loaded so at once: its strength begins with the
// new confidence, at the cycle at which it was first stated (usedCycle), and is written as of the memory's last sweep.
// Returns: facts, the number changed.
:param memory => "demo";
:param facts => [{id: "demo:f", confidence: 0.8, validTo: date("2026-12-31")}];
MATCH (memory:BambooMemory {name: $memory})
WITH memory.swept AS swept
UNWIND $facts AS row
MATCH ()-[fact:FACT {id: row.id}]->()
WHERE fact.confidence <> row.confidence OR coalesce(toString(fact.validTo), '') <> coalesce(toString(row.validTo), '')
WITH fact, row, fact.activations = 0 AND fact.confidence <> row.confidence AS fresh, exp(-0.2) AS x,
     CASE WHEN swept > fact.usedCycle THEN swept - fact.usedCycle ELSE 0 END AS n
WITH fact, row, fresh, row.confidence - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS decayed
FOREACH (unused IN CASE WHEN fresh THEN [fact] ELSE [] END |
  SET unused.usedStrength = row.confidence,
      unused.strength = CASE WHEN decayed > 0.1 THEN decayed WHEN row.confidence < 0.1 THEN row.confidence ELSE 0.1 END)
SET fact.confidence = row.confidence, fact.validTo = row.validTo
RETURN count(*) AS facts
