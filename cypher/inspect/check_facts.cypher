// Invariants of a fact: its id begins with the memory's name, its ends are of this memory, its numbers are there and in range.
// It has a predicate and ends no earlier than it begins; NaN and infinity are in no range.
// Facts are looked for at their tags: one without an id would not be found by it.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (tag:Tag)
WHERE tag.memory = $memory AND tag.key IS NOT NULL
CALL (tag) {
  MATCH (tag)-[fact:FACT]->(object:Tag)
  UNWIND [
    CASE WHEN NOT coalesce(fact.id STARTS WITH tag.memory + ':', false)
      THEN ['an id that begins with ' + tag.memory + ':', fact.id] END,
    CASE WHEN NOT coalesce(object.memory = tag.memory, false) THEN ['ends in one memory', object.memory] END,
    CASE WHEN NOT coalesce(fact.predicate IS :: STRING NOT NULL AND fact.predicate <> '', false)
      THEN ['a predicate', fact.predicate] END,
    CASE WHEN NOT coalesce(fact.confidence IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.confidence <= 1, false)
      THEN ['a confidence from 0 to 1', fact.confidence] END,
    CASE WHEN NOT coalesce(fact.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.strength <= 1, false)
      THEN ['a strength from 0 to 1', fact.strength] END,
    CASE WHEN NOT coalesce(fact.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.usedStrength <= 1, false)
      THEN ['a usedStrength from 0 to 1', fact.usedStrength] END,
    CASE WHEN NOT coalesce(fact.usedCycle IS :: INTEGER NOT NULL, false) THEN ['a whole usedCycle', fact.usedCycle] END,
    CASE WHEN NOT coalesce(fact.activations IS :: INTEGER NOT NULL AND fact.activations >= 0, false)
      THEN ['activations from 0 on', fact.activations] END,
    CASE WHEN NOT (fact.validFrom IS :: DATE | ZONED DATETIME AND fact.validTo IS :: DATE | ZONED DATETIME)
      THEN ['days or times', coalesce(toStringOrNull(fact.validFrom), '') + ' to ' + coalesce(toStringOrNull(fact.validTo), '')]
      WHEN date(fact.validFrom) > date(fact.validTo)
      THEN ['an end after the beginning', toString(fact.validFrom) + ' to ' + toString(fact.validTo)] END
  ] AS fault
  WITH object, fact, fault WHERE fault IS NOT NULL
  RETURN coalesce(tag.name, 'null') + ' – ' + coalesce(toStringOrNull(fact.predicate), 'null') + ' – ' + coalesce(object.name, 'null') AS where,
         fault[0] AS expected, coalesce(toStringOrNull(fault[1]), 'null') AS found
  UNION ALL
  WITH tag
  MATCH (tag)<-[fact:FACT]-(subject:Tag)
  WHERE NOT coalesce(subject.memory = tag.memory, false)
  RETURN coalesce(subject.name, 'null') + ' – ' + coalesce(toStringOrNull(fact.predicate), 'null') + ' – ' + coalesce(tag.name, 'null') AS where,
         'ends in one memory' AS expected, coalesce(subject.memory, 'null') AS found
}
RETURN where, expected, found ORDER BY where, expected, found
