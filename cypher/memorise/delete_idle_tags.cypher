// Delete those of the touched tags that nothing holds any more: no chunk, fact or edge, nor one that is to emerge.
// Plain DELETE, so that a link this statement does not know of stops the transaction in place of being lost.
// Returns: tags, the number deleted.
:param tags => [1];
UNWIND $tags AS id
MATCH (tag:Tag {id: id})
WHERE NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
  AND NOT EXISTS { (tag)-[joint:CO_ACTIVATED]-() WHERE joint.usedStrength IS NOT NULL }
CALL (tag) { MATCH (tag)-[joint:CO_ACTIVATED]-() DELETE joint }
DELETE tag
RETURN count(*) AS tags
