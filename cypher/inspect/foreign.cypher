// Whether the database holds nodes with our labels that we did not make: asked only where no BambooSchema is.
// Each label is looked up by itself and stops at the first node, so that a large foreign graph costs nothing.
// Returns: label of each that has a node.
CALL () {
  MATCH (n:Document) RETURN 'Document' AS label LIMIT 1
  UNION ALL
  MATCH (n:Chunk) RETURN 'Chunk' AS label LIMIT 1
  UNION ALL
  MATCH (n:Tag) RETURN 'Tag' AS label LIMIT 1
  UNION ALL
  MATCH (n:Word) RETURN 'Word' AS label LIMIT 1
  UNION ALL
  MATCH (n:Episode) RETURN 'Episode' AS label LIMIT 1
  UNION ALL
  MATCH (n:MindMap) RETURN 'MindMap' AS label LIMIT 1
  UNION ALL
  MATCH (n:Question) RETURN 'Question' AS label LIMIT 1
}
RETURN label ORDER BY label
