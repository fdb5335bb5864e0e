// Mend the facts of a page of tags. One that says nothing that can be used goes, as it would be refused when it is loaded:
// an id of another memory or none, an end in another memory, no predicate, no confidence, a time that is none or ends too early.
// Of the others what is learned begins anew where it is not there or out of range.
// Takes the memory's lock first; the pages are those of inspect/check_page.
// Returns: mended, the number of facts deleted or changed.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (tag:Tag)
  WHERE tag.memory = memory.name AND tag.key > $after AND tag.key <= $until
  MATCH (tag)-[fact:FACT]-(other:Tag)
  WITH DISTINCT memory, fact, startNode(fact) AS subject, endNode(fact) AS object
  WITH memory, fact, NOT (coalesce(fact.id STARTS WITH memory.name + ':', false)
      AND coalesce(subject.memory = memory.name AND object.memory = memory.name, false)
      AND coalesce(fact.predicate IS :: STRING NOT NULL AND fact.predicate <> '', false)
      AND coalesce(fact.confidence IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.confidence <= 1, false)
      AND fact.validFrom IS :: DATE | ZONED DATETIME AND fact.validTo IS :: DATE | ZONED DATETIME
      AND coalesce(date(fact.validFrom) <= date(fact.validTo), true)) AS useless
  WITH memory, fact, useless, NOT useless AND NOT (
      coalesce(fact.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.strength <= 1, false)
      AND coalesce(fact.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND 0 <= fact.usedStrength <= 1, false)
      AND fact.usedCycle IS :: INTEGER NOT NULL
      AND coalesce(fact.activations IS :: INTEGER NOT NULL AND fact.activations >= 0, false)) AS damaged
  WHERE useless OR damaged
  FOREACH (gone IN CASE WHEN useless THEN [fact] ELSE [] END | DELETE gone)
  FOREACH (mended IN CASE WHEN damaged THEN [fact] ELSE [] END |
    SET mended.strength = mended.confidence, mended.usedStrength = mended.confidence, mended.usedCycle = memory.cycle,
        mended.activations = 0)
  RETURN count(*) AS mended
}
RETURN mended
