// Forget a memory whole, first and last part: delete a bounded number of its nodes that are no tags.
// Returns: deleted.
:param memory => "demo";
:param limit => 1000;
CALL () {
  MATCH (node:Chunk) WHERE node.id STARTS WITH $memory + ':' RETURN node
  UNION ALL
  MATCH (node:Word) WHERE node.memory = $memory AND node.name IS NOT NULL RETURN node
  UNION ALL
  MATCH (node:Document) WHERE node.memory = $memory AND node.id IS NOT NULL RETURN node
  UNION ALL
  MATCH (node:Episode) WHERE node.memory = $memory RETURN node
  UNION ALL
  MATCH (node:Question) WHERE node.id STARTS WITH $memory + ':' RETURN node
  UNION ALL
  MATCH (node:MindMap) WHERE node.id STARTS WITH $memory + ':' RETURN node
}
WITH node LIMIT $limit
DETACH DELETE node
RETURN count(*) AS deleted
