// The CO_OCCURS edges of some tags, each at the end with the smaller key, with what was learned on them.
// The server compares keys by UTF-16 units and its indexes by code point; the two differ only where both keys hold
// characters from U+E000 on. For such a tag ($tags as [id, true]) all edges come, and the caller chooses.
// Returns: a row a tag: id and its edges as [key of the other tag, weight, strength, usedStrength, usedCycle,
// activations, emergent], in no order.
:param tags => [[1, false]];
UNWIND $tags AS row
MATCH (tag:Tag {id: row[0]})
RETURN tag.id AS id, COLLECT {
  MATCH (tag)-[edge:CO_OCCURS]-(other:Tag)
  WHERE row[1] OR other.key > tag.key
  RETURN [other.key, edge.weight, edge.strength, edge.usedStrength, edge.usedCycle, edge.activations, edge.emergent]
} AS edges
