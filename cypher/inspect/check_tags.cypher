// Invariants of a tag: a chunk, a fact or an edge (or one that is to emerge) holds it; it has key, name and an id below the next free one.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (schema:BambooSchema {id: 'bamboo'})
WITH schema.nextTagId AS next
MATCH (tag:Tag)
WHERE tag.memory = $memory AND tag.key IS NOT NULL
CALL (next, tag) {
  WITH next, tag WHERE tag.id IS NULL OR tag.id >= next OR tag.name IS NULL OR tag.key = ''
  RETURN 'key, name and an id below ' + toString(next) AS expected, 'id ' + coalesce(toStringOrNull(tag.id), 'null') AS found
  UNION ALL
  WITH tag
  WITH tag WHERE NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
    AND NOT EXISTS { (tag)-[joint:CO_ACTIVATED]-() WHERE joint.usedStrength IS NOT NULL }
  RETURN 'a chunk, a fact or an edge' AS expected, 'none' AS found
}
RETURN CASE WHEN tag.key = '' THEN '(empty)' ELSE coalesce(toStringOrNull(tag.key), 'null') END AS where, expected, found ORDER BY where, expected
