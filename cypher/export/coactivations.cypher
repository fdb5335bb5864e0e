// Tags used together in validated reasoning with no edge yet, for some tags, each at the end with the smaller key.
// For a tag with characters from U+E000 on ($tags as [id, true]) all come, and the caller chooses: see export/edges.
// Returns: a row a tag that has some: id and its edges as [key of the other tag, count, usedStrength, usedCycle, activations],
// in no order; the last three are what an edge has learned that is still to emerge.
:param tags => [[1, false]];
UNWIND $tags AS row
MATCH (tag:Tag {id: row[0]})
WITH row, tag WHERE EXISTS { (tag)-[:CO_ACTIVATED]-() }
RETURN tag.id AS id, COLLECT {
  MATCH (tag)-[joint:CO_ACTIVATED]-(other:Tag)
  WHERE row[1] OR other.key > tag.key
  RETURN [other.key, joint.count, joint.usedStrength, joint.usedCycle, joint.activations]
} AS edges
