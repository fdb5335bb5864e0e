// The tags of chunks, for finding those that a sentence of them names. Chunks are found by their unique ids.
// Returns: a row a chunk: id, tags (names, those that the chunk is about first).
:param ids => ['demo:82c885216882eab909b146c53fd9bee1', 'demo:ce895026a4f2250c98c9364a8c4d3a38'];
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
RETURN chunk.id AS id, COLLECT {
  MATCH (chunk)-[link:TAGGED]->(tag:Tag)
  RETURN tag.name ORDER BY EXISTS { (chunk)-[:ABOUT]->(tag) } DESC, link.salience DESC, tag.key
} AS tags
ORDER BY id
