// Forget a memory whole, first part: delete a bounded number of its nodes that are no tags.
// Takes the memory's lock, then asks whether it is still being forgotten: another program may have ended that and begun anew.
// Returns: deleted, or no row where no such memory is being forgotten.
:param memory => "demo";
:param limit => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.wiping
CALL (memory) {
  CALL (memory) {
    MATCH (node:Chunk) WHERE node.id > memory.name + ':' AND node.id < memory.name + ';' RETURN node
    UNION ALL
    MATCH (node:Word) WHERE node.memory = memory.name AND node.name IS NOT NULL RETURN node
    UNION ALL
    MATCH (node:Document) WHERE node.memory = memory.name AND node.id IS NOT NULL RETURN node
    UNION ALL
    MATCH (node:Episode) WHERE node.memory = memory.name RETURN node
    UNION ALL
    MATCH (node:Question) WHERE node.id > memory.name + ':' AND node.id < memory.name + ';' RETURN node
    UNION ALL
    MATCH (node:MindMap) WHERE node.id > memory.name + ':' AND node.id < memory.name + ';' RETURN node
  }
  WITH node LIMIT $limit
  DETACH DELETE node
  RETURN count(*) AS deleted
}
RETURN deleted
