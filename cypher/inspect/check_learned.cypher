// Invariants of what use left on the edges of a page of tags. They have usedStrength, usedCycle and activations, all three or
// none, each of its type and in its range; strength follows from them and from the memory's clock alone (the closed form of decay:
// see learn/decay), as of the last sweep, or of the one under way while there is one. An edge that was never used has no
// strength, unless every edge decays (BambooMemory.floor). Two tags that are counted as used together are of one memory and
// have no edge; their count is a number from 1, and carries what an edge has learned only from 3 on.
// Every edge of a tag is looked at: one that was damaged may be in no index. Types are asked for before arithmetic.
// While an import is unfinished nothing is said: the clock that its strengths belong to comes last.
// Returns: a row a fault (where, expected, found); the page ends at the key that check_page returns.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (memory:BambooMemory {name: $memory})
WHERE memory.importing IS NULL
WITH CASE WHEN memory.cycle IS :: INTEGER NOT NULL THEN memory.cycle ELSE 0 END AS cycle,
  [time IN [memory.swept, memory.sweeping] WHERE time IS :: INTEGER NOT NULL] AS times,
  CASE WHEN memory.sweeping IS NOT NULL THEN [0.5, 0.1] WHEN memory.floor = 0.1 THEN [0.1] ELSE [0.5] END AS rules
MATCH (a:Tag)
USING INDEX SEEK a:Tag(memory, key)
WHERE a.memory = $memory AND a.key > $after AND a.key <= $until
CALL (a, cycle, times, rules) {
  MATCH (a)-[edge:CO_OCCURS|FACT]->(b:Tag)
  WHERE type(edge) = 'FACT' OR edge.strength IS NOT NULL OR edge.usedStrength IS NOT NULL OR edge.usedCycle IS NOT NULL
    OR edge.activations IS NOT NULL OR edge.emergent IS NOT NULL OR rules = [0.1]
  WITH b, edge, cycle, times, type(edge) = 'FACT' AS stated,
    edge.usedStrength IS NULL AND edge.usedCycle IS NULL AND edge.activations IS NULL AS unused,
    CASE WHEN type(edge) = 'FACT' OR NOT coalesce(edge.weight > 0, false) THEN [0.1] ELSE rules END AS floors, CASE
      WHEN edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL
        AND edge.activations IS :: INTEGER NOT NULL
      THEN edge.usedStrength >= 0 AND edge.usedStrength <= 1 AND edge.usedCycle <= cycle AND edge.usedCycle > -1000000000000000
        AND edge.activations >= CASE WHEN type(edge) = 'FACT' THEN 0 ELSE 1 END
      ELSE false END AS used,
    edge.emergent IS NULL OR edge.emergent IS :: INTEGER NOT NULL OR coalesce(edge.emergent = true, false) AS grown, exp(-0.2) AS x
  WITH *, CASE WHEN used THEN toFloat(edge.usedStrength) ELSE 0.5 END AS last,
    [time IN times | CASE WHEN NOT used THEN toFloat(time) WHEN time > edge.usedCycle THEN toFloat(time - edge.usedCycle) ELSE 0.0 END] AS idle
  WITH *, [n IN idle | last - 0.05 * (n - x * (1 - x ^ n) / (1 - x))] AS decayed
  WITH *, reduce(list = [], now IN decayed | list + [floor IN floors | CASE
      WHEN now > floor THEN now WHEN stated AND last < floor THEN last ELSE floor END]) AS wanted
  WITH b, edge, cycle, CASE
    WHEN stated AND NOT used THEN CASE WHEN edge.usedCycle IS :: INTEGER NOT NULL AND edge.usedCycle > cycle
      THEN ['a usedCycle up to ' + toString(cycle), toString(edge.usedCycle)] END
    WHEN NOT used AND NOT (unused AND NOT (edge.emergent IS NOT NULL AND NOT coalesce(edge.weight > 0, false)))
    THEN ['activations from 1 on, a usedCycle up to ' + toString(cycle) + ' and a usedStrength from 0 to 1',
      toStringOrNull(edge.activations), toStringOrNull(edge.usedCycle), toStringOrNull(edge.usedStrength)]
    WHEN NOT grown THEN ['emergent true or absent', toStringOrNull(edge.emergent)]
    WHEN unused AND edge.strength IS NULL THEN CASE WHEN floors = [0.1] THEN ['strength ' + toString(wanted[0]), null] END
    WHEN unused AND NOT 0.1 IN floors THEN ['no strength', toStringOrNull(edge.strength)]
    WHEN NOT edge.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL OR none(strength IN wanted WHERE abs(edge.strength - strength) <= 1e-9)
    THEN ['strength ' + toString(wanted[-1]), toStringOrNull(edge.strength)] END AS fault
  WITH b, fault WHERE fault IS NOT NULL
  RETURN b.name AS other, fault[0] AS expected, reduce(text = '', value IN fault[1..] |
    text + CASE text WHEN '' THEN '' ELSE ', ' END + coalesce(value, 'null')) AS found
  UNION ALL
  WITH a, cycle
  MATCH (a)-[joint:CO_ACTIVATED]->(b)
  WITH a, b, joint, CASE
    WHEN joint.usedStrength IS NULL AND joint.usedCycle IS NULL AND joint.activations IS NULL THEN true
    WHEN joint.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND joint.usedCycle IS :: INTEGER NOT NULL
      AND joint.activations IS :: INTEGER NOT NULL
    THEN joint.usedStrength >= 0 AND joint.usedStrength <= 1 AND joint.usedCycle <= cycle AND joint.usedCycle > -1000000000000000
      AND joint.activations >= 1 AND coalesce(joint.count >= 3, false)
    ELSE false END AS sound
  UNWIND [
    CASE WHEN NOT coalesce(joint.src = a.id AND joint.dst = b.id AND a.id < b.id AND b.memory = a.memory, false)
      THEN ['src and dst are the ends, smaller id first, one memory',
        'src ' + coalesce(toStringOrNull(joint.src), 'null') + ', dst ' + coalesce(toStringOrNull(joint.dst), 'null')] END,
    CASE WHEN NOT (joint.count IS :: INTEGER NOT NULL AND coalesce(joint.count >= 1, false))
      THEN ['a count of joint uses from 1 on', coalesce(toStringOrNull(joint.count), 'null')] END,
    CASE WHEN NOT sound THEN ['learned from the third joint use on, in range', coalesce(toStringOrNull(joint.usedStrength), 'null') + ', '
      + coalesce(toStringOrNull(joint.usedCycle), 'null') + ', ' + coalesce(toStringOrNull(joint.activations), 'null')] END,
    CASE WHEN EXISTS { (a)-[:CO_OCCURS]-(b) } THEN ['no edge between tags counted as used together', 'an edge'] END
  ] AS fault
  WITH b, fault WHERE fault IS NOT NULL
  RETURN b.name AS other, fault[0] AS expected, fault[1] AS found
}
RETURN coalesce(toStringOrNull(a.name), 'null') + ' – ' + coalesce(toStringOrNull(other), 'null') AS where, expected, found
ORDER BY where, expected, found
