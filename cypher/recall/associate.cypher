// First- and second-degree neighbours of tags, those first that share most of their chunks.
// A hub's edges are never read: for each tag and direction the index (src, rank, dst), or its mirror, gives the
// $fetch highest ranks in order (the order must name the equality column, and its last column breaks ties inside
// the index), and only these are scored: max(weight, 1) / (df + df' − weight) × strength / 0.5, strength as of the
// last sweep like rank itself; half of that at the second degree. Strengths shown decay to the memory's cycle. An emergent edge
// that nothing supports and that has faded to 0.1 counts as gone; so does one whose numbers are broken (NaN).
// Returns: one row a first-degree neighbour: cue, key, tag (their names, key of the neighbour), weight, strength,
// rank, score, seconds as [key, name, weight, strength, rank, score].
:param memory => 'demo';
:param cues => ['harbour school'];
:param first => 5;
:param second => 3;
:param fetch => 50;
:param fetchSecond => 20;
MATCH (memory:BambooMemory {name: $memory})
WITH memory.cycle AS cycle
UNWIND $cues AS key
MATCH (cue:Tag {memory: $memory, key: key})
CALL (cue, cycle) {
  WITH cue, cycle, COUNT { (cue)<-[:TAGGED]-() } AS df
  CALL (cue) {
    WITH cue.id AS id
    MATCH ()-[edge:CO_OCCURS]->(other:Tag) USING INDEX SEEK edge:CO_OCCURS(src, rank, dst)
    WHERE edge.src = id AND edge.rank > 0 AND edge.dst IS NOT NULL
    RETURN edge, other ORDER BY edge.src DESC, edge.rank DESC, edge.dst DESC LIMIT $fetch
    UNION ALL
    WITH cue.id AS id
    MATCH (other:Tag)-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(dst, rank, src)
    WHERE edge.dst = id AND edge.rank > 0 AND edge.src IS NOT NULL
    RETURN edge, other ORDER BY edge.dst DESC, edge.rank DESC, edge.src DESC LIMIT $fetch
  }
  WITH df, edge, other, COUNT { (other)<-[:TAGGED]-() } AS otherDf, exp(-0.2) AS x,
    CASE WHEN edge.weight >= 1 THEN 0.5 ELSE 0.1 END AS floor,
    CASE WHEN cycle > edge.usedCycle THEN cycle - edge.usedCycle ELSE 0 END AS idle
  WITH df, edge, other, otherDf, floor,
    coalesce(edge.usedStrength, edge.strength, 0.5) - 0.05 * (idle - x * (1 - x ^ idle) / (1 - x)) AS current
  WHERE (edge.weight >= 1 OR edge.weight >= 0 AND current > floor) AND coalesce(edge.strength, 0.5) <= 1
  WITH edge, other, CASE WHEN current > floor THEN current ELSE floor END AS strength,
    CASE WHEN edge.weight >= 1 THEN edge.weight ELSE 1 END AS weight, df + otherDf - edge.weight AS either
  RETURN other AS near, edge.weight AS weight, strength, edge.rank AS rank,
    toFloat(weight) / CASE WHEN either >= 1 THEN either ELSE 1 END * coalesce(edge.strength, 0.5) / 0.5 AS score
  ORDER BY score DESC, near.key LIMIT $first
}
CALL (cue, near, cycle) {
  WITH cue, near, cycle, COUNT { (near)<-[:TAGGED]-() } AS df
  CALL (near) {
    WITH near.id AS id
    MATCH ()-[edge:CO_OCCURS]->(other:Tag) USING INDEX SEEK edge:CO_OCCURS(src, rank, dst)
    WHERE edge.src = id AND edge.rank > 0 AND edge.dst IS NOT NULL
    RETURN edge, other ORDER BY edge.src DESC, edge.rank DESC, edge.dst DESC LIMIT $fetchSecond
    UNION ALL
    WITH near.id AS id
    MATCH (other:Tag)-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(dst, rank, src)
    WHERE edge.dst = id AND edge.rank > 0 AND edge.src IS NOT NULL
    RETURN edge, other ORDER BY edge.dst DESC, edge.rank DESC, edge.src DESC LIMIT $fetchSecond
  }
  WITH df, edge, other, COUNT { (other)<-[:TAGGED]-() } AS otherDf, exp(-0.2) AS x,
    CASE WHEN edge.weight >= 1 THEN 0.5 ELSE 0.1 END AS floor,
    CASE WHEN cycle > edge.usedCycle THEN cycle - edge.usedCycle ELSE 0 END AS idle, cue
  WHERE other <> cue
  WITH df, edge, other, otherDf, floor,
    coalesce(edge.usedStrength, edge.strength, 0.5) - 0.05 * (idle - x * (1 - x ^ idle) / (1 - x)) AS current
  WHERE (edge.weight >= 1 OR edge.weight >= 0 AND current > floor) AND coalesce(edge.strength, 0.5) <= 1
  WITH edge, other, CASE WHEN current > floor THEN current ELSE floor END AS strength,
    CASE WHEN edge.weight >= 1 THEN edge.weight ELSE 1 END AS weight, df + otherDf - edge.weight AS either
  WITH other, edge, strength,
    0.5 * toFloat(weight) / CASE WHEN either >= 1 THEN either ELSE 1 END * coalesce(edge.strength, 0.5) / 0.5 AS score
  ORDER BY score DESC, other.key LIMIT $second
  RETURN collect([other.key, other.name, edge.weight, strength, edge.rank, score]) AS seconds
}
RETURN cue.name AS cue, near.key AS key, near.name AS tag, weight, strength, rank, score, seconds
