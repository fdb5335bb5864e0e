// Some tags whose key, name, spelling, id or memory is damaged, with what these are derived from: those that the index knows,
// and those that only chunks lead to. `ids` are the ids that the ends of their edges still say.
// Returns: tags as [elementId, key, name, display, id, ids].
:param memory => "demo";
:param limit => 200;
CALL () {
  MATCH (tag:Tag)
  WHERE tag.memory = $memory AND tag.key IS NOT NULL
  RETURN tag
  UNION
  MATCH (chunk:Chunk)
  WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';'
  MATCH (chunk)-[:TAGGED]->(tag:Tag)
  WHERE tag.key IS NULL OR tag.memory IS NULL
  RETURN tag
}
WITH tag
WHERE NOT (tag.key IS :: STRING NOT NULL AND tag.key <> '' AND tag.name IS :: STRING NOT NULL AND tag.display IS :: STRING NOT NULL
  AND tag.id IS :: INTEGER NOT NULL AND tag.memory IS NOT NULL)
WITH tag ORDER BY elementId(tag) LIMIT $limit
RETURN collect([elementId(tag), tag.key, tag.name, tag.display, tag.id,
  COLLECT { MATCH (tag)-[edge:CO_OCCURS]->() WHERE edge.src IS :: INTEGER NOT NULL RETURN edge.src AS id
            UNION MATCH (tag)<-[edge:CO_OCCURS]-() WHERE edge.dst IS :: INTEGER NOT NULL RETURN edge.dst AS id }]) AS tags
