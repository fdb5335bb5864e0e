// First- and second-degree neighbours of tags by rank alone, as BambooKG publishes it (arXiv 2510.25724).
// A hub's edges are never read: the index (src, rank, dst), or its mirror, gives the highest ranks of each direction
// in order, and the two directions are merged. Until something is learned, rank is the weight. An edge whose numbers are
// broken (NaN, infinity, not a number) is passed over: NaN would come first in the order of the index. So is an emergent
// edge that nothing supports and that has faded to 0.1 by the memory's cycle: it counts as gone.
// Returns: one row a first-degree neighbour: cue and tag (names), cueId and id, weight, strength as of the last sweep,
// rank, seconds as [id, name, weight, strength, rank].
:param memory => 'demo';
:param cues => ['harbour school'];
:param first => 5;
:param second => 3;
MATCH (memory:BambooMemory {name: $memory})
WITH toFloat(coalesce(memory.cycle, 0)) AS cycle, exp(-0.2) AS x
UNWIND $cues AS key
MATCH (cue:Tag {memory: $memory, key: key})
CALL (cue, cycle, x) {
  CALL (cue, cycle, x) {
    WITH cue.id AS id, cycle, x
    MATCH ()-[edge:CO_OCCURS]->(other:Tag) USING INDEX SEEK edge:CO_OCCURS(src, rank, dst)
    WHERE edge.src = id AND edge.rank > 0 AND edge.rank < 1e18 AND edge.dst IS NOT NULL AND edge.weight < 1e18
      AND CASE WHEN edge.weight > 0 THEN true WHEN edge.weight = 0 AND edge.usedStrength <= 1 AND edge.usedCycle < cycle
        THEN edge.usedStrength - 0.05 * (cycle - edge.usedCycle - x * (1 - x ^ (cycle - edge.usedCycle)) / (1 - x)) > 0.1
        ELSE edge.weight = 0 AND edge.usedStrength > 0.1 END
    RETURN edge, other ORDER BY edge.src DESC, edge.rank DESC, edge.dst DESC LIMIT $first
    UNION ALL
    WITH cue.id AS id, cycle, x
    MATCH (other:Tag)-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(dst, rank, src)
    WHERE edge.dst = id AND edge.rank > 0 AND edge.rank < 1e18 AND edge.src IS NOT NULL AND edge.weight < 1e18
      AND CASE WHEN edge.weight > 0 THEN true WHEN edge.weight = 0 AND edge.usedStrength <= 1 AND edge.usedCycle < cycle
        THEN edge.usedStrength - 0.05 * (cycle - edge.usedCycle - x * (1 - x ^ (cycle - edge.usedCycle)) / (1 - x)) > 0.1
        ELSE edge.weight = 0 AND edge.usedStrength > 0.1 END
    RETURN edge, other ORDER BY edge.dst DESC, edge.rank DESC, edge.src DESC LIMIT $first
  }
  RETURN other AS near, edge ORDER BY edge.rank DESC, near.id DESC LIMIT $first
}
CALL (cue, near, cycle, x) {
  CALL (near, cycle, x) {
    WITH near.id AS id, cycle, x
    MATCH ()-[edge:CO_OCCURS]->(other:Tag) USING INDEX SEEK edge:CO_OCCURS(src, rank, dst)
    WHERE edge.src = id AND edge.rank > 0 AND edge.rank < 1e18 AND edge.dst IS NOT NULL AND edge.weight < 1e18
      AND CASE WHEN edge.weight > 0 THEN true WHEN edge.weight = 0 AND edge.usedStrength <= 1 AND edge.usedCycle < cycle
        THEN edge.usedStrength - 0.05 * (cycle - edge.usedCycle - x * (1 - x ^ (cycle - edge.usedCycle)) / (1 - x)) > 0.1
        ELSE edge.weight = 0 AND edge.usedStrength > 0.1 END
    RETURN edge, other ORDER BY edge.src DESC, edge.rank DESC, edge.dst DESC LIMIT $second + 1
    UNION ALL
    WITH near.id AS id, cycle, x
    MATCH (other:Tag)-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(dst, rank, src)
    WHERE edge.dst = id AND edge.rank > 0 AND edge.rank < 1e18 AND edge.src IS NOT NULL AND edge.weight < 1e18
      AND CASE WHEN edge.weight > 0 THEN true WHEN edge.weight = 0 AND edge.usedStrength <= 1 AND edge.usedCycle < cycle
        THEN edge.usedStrength - 0.05 * (cycle - edge.usedCycle - x * (1 - x ^ (cycle - edge.usedCycle)) / (1 - x)) > 0.1
        ELSE edge.weight = 0 AND edge.usedStrength > 0.1 END
    RETURN edge, other ORDER BY edge.dst DESC, edge.rank DESC, edge.src DESC LIMIT $second + 1
  }
  WITH cue, edge, other WHERE other <> cue
  WITH edge, other ORDER BY edge.rank DESC, other.id DESC LIMIT $second
  RETURN collect([other.id, other.name, edge.weight, coalesce(edge.strength, 0.5), edge.rank]) AS seconds
}
RETURN cue.name AS cue, cue.id AS cueId, near.name AS tag, near.id AS id, edge.weight AS weight,
  coalesce(edge.strength, 0.5) AS strength, edge.rank AS rank, seconds
