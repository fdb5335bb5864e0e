// The facts of a memory with their strength at its present cycle, by subject, predicate, object and time.
// $predicates narrows them to some spellings, $asOf (a time in UTC) to what was valid then: a day as an end is included,
// a time is where validity stops. s(n) = max(floor, s − λ(n − x(1 − xⁿ)/(1 − x))), λ = 0.05, x = exp(−1/5), n cycles after the last
// use; the floor is 0.1, or s where that is less.
// Returns: a row a fact: id, subject and object (names of tags), predicate, subjectText and objectText (as stated), confidence,
// strength, source, validFrom, validTo, activations.
:param memory => "demo";
:param predicates => null;
:param asOf => null;
MATCH (memory:BambooMemory {name: $memory})
WITH memory.cycle AS cycle
MATCH (subject:Tag)-[fact:FACT]->(object:Tag)
WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
  AND ($predicates IS NULL OR fact.predicate IN $predicates)
  AND ($asOf IS NULL OR (CASE WHEN fact.validFrom IS NULL THEN true
         WHEN fact.validFrom IS :: DATE NOT NULL THEN fact.validFrom <= date($asOf) ELSE fact.validFrom <= $asOf END
       AND CASE WHEN fact.validTo IS NULL THEN true
         WHEN fact.validTo IS :: DATE NOT NULL THEN date($asOf) <= fact.validTo ELSE $asOf < fact.validTo END))
WITH subject, fact, object, exp(-0.2) AS x, coalesce(fact.usedStrength, fact.confidence) AS used,
     CASE WHEN cycle > fact.usedCycle THEN cycle - fact.usedCycle ELSE 0 END AS n
WITH subject, fact, object, used, used - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS decayed
RETURN fact.id AS id, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       coalesce(fact.subject, subject.display) AS subjectText, coalesce(fact.object, object.display) AS objectText,
       fact.confidence AS confidence, fact.source AS source,
       CASE WHEN decayed > 0.1 THEN decayed WHEN used >= 0 AND used < 0.1 THEN used ELSE 0.1 END AS strength,
       toString(fact.validFrom) AS validFrom, toString(fact.validTo) AS validTo, fact.activations AS activations
ORDER BY subject, predicate, object, validFrom, id
