// Whether a memory holds anything: each label is looked up by itself and stops at the first node.
// Returns: labels that have a node in the memory.
:param memory => "demo";
CALL () {
  MATCH (n:Document) WHERE n.memory = $memory AND n.id IS NOT NULL RETURN 'Document' AS label LIMIT 1
  UNION ALL
  MATCH (n:Tag) WHERE n.memory = $memory AND n.key IS NOT NULL RETURN 'Tag' AS label LIMIT 1
  UNION ALL
  MATCH (n:Word) WHERE n.memory = $memory AND n.name IS NOT NULL RETURN 'Word' AS label LIMIT 1
  UNION ALL
  MATCH (n:Episode) WHERE n.id STARTS WITH $memory + ':' RETURN 'Episode' AS label LIMIT 1
  UNION ALL
  MATCH (n:MindMap) WHERE n.id STARTS WITH $memory + ':' RETURN 'MindMap' AS label LIMIT 1
}
RETURN collect(label) AS labels
