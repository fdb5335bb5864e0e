// Which claims of a conclusion the memory holds: facts by their ids, pairs by the chunk that is to hold both tags.
// Validity is that of inspect/facts: at $asOf (a time in UTC), or at any time for null. A tag is met by its key, or
// by its name where a tagger keys it in its own way.
// Returns: facts as [id, is it valid then] of those that are there, pairs as [number, is the one tag in the chunk,
// is the other] of those whose chunk is there.
:param memory => "demo";
:param facts => ["demo:f"];
:param pairs => [["demo:82c885216882eab909b146c53fd9bee1", "harbour school", "harbour school", "odo pell", "odo pell"]];
:param asOf => null;
CALL () {
  UNWIND $facts AS id
  MATCH ()-[fact:FACT {id: id}]->()
  WHERE fact.id > $memory + ':' AND fact.id < $memory + ';'
  RETURN collect([fact.id,
    $asOf IS NULL OR (CASE WHEN fact.validFrom IS NULL THEN true
        WHEN fact.validFrom IS :: DATE NOT NULL THEN fact.validFrom <= date($asOf) ELSE fact.validFrom <= $asOf END
      AND CASE WHEN fact.validTo IS NULL THEN true
        WHEN fact.validTo IS :: DATE NOT NULL THEN date($asOf) <= fact.validTo ELSE $asOf < fact.validTo END)]) AS facts
}
CALL (facts) {
  UNWIND range(0, size($pairs) - 1) AS i
  WITH i, $pairs[i] AS pair
  MATCH (chunk:Chunk {id: pair[0]}) WHERE chunk.memory = $memory
  RETURN collect([i,
    EXISTS { MATCH (chunk)-[:TAGGED]->(tag:Tag) WHERE tag.key = pair[1] OR tag.name = pair[2] },
    EXISTS { MATCH (chunk)-[:TAGGED]->(tag:Tag) WHERE tag.key = pair[3] OR tag.name = pair[4] }]) AS pairs
}
RETURN facts, pairs
