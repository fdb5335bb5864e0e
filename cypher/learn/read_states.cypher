// How edges and facts stand now, and to which cycle ranks are brought: read under its lock, before anything is restored.
// Returns: one row: swept (the cycle of a sweep under way, else of the last) and floor of the memory, and of those that are
// there: edges as [src, dst, weight, emergent, usedStrength, usedCycle, activations], joints as [src, dst, count, usedStrength,
// usedCycle, activations], facts as [id, usedStrength, usedCycle, activations].
:param memory => "demo";
:param pairs => [[1, 2]];
:param facts => ["demo:f"];
MATCH (memory:BambooMemory {name: $memory})
CALL (memory) {
  UNWIND $pairs AS pair
  MATCH ()-[edge:CO_OCCURS]->()
  USING INDEX SEEK edge:CO_OCCURS(src, dst)
  WHERE edge.src = pair[0] AND edge.dst = pair[1]
  RETURN collect([edge.src, edge.dst, edge.weight, edge.emergent, edge.usedStrength, edge.usedCycle, edge.activations]) AS edges
}
CALL (memory) {
  UNWIND $pairs AS pair
  MATCH ()-[joint:CO_ACTIVATED]->()
  USING INDEX SEEK joint:CO_ACTIVATED(src, dst)
  WHERE joint.src = pair[0] AND joint.dst = pair[1]
  RETURN collect([joint.src, joint.dst, joint.count, joint.usedStrength, joint.usedCycle, joint.activations]) AS joints
}
CALL (memory) {
  UNWIND $facts AS id
  MATCH (:Tag {memory: $memory})-[fact:FACT]->()
  USING INDEX SEEK fact:FACT(id)
  WHERE fact.id = id
  RETURN collect([fact.id, fact.usedStrength, fact.usedCycle, fact.activations]) AS facts
}
RETURN coalesce(memory.sweeping, memory.swept, 0) AS swept, memory.floor AS floor, edges, joints, facts
