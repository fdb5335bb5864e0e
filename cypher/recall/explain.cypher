// Draw the paths that led to recalled chunks, for Neo4j Browser: from the question's tags over the tags between to
// the tag that a chunk is about, and the chunk. `bamboo recall --explain` prints it with the values of one question.
// Both ends of an edge are bound by the index on Tag.name first, so that a hub's edges are not read.
// Returns: path, from tag to tag, and about, from the chunk at its end to the tag.
:param memory => 'demo';
:param edges => [['harbour school', 'odo pell', 'demo:82c885216882eab909b146c53fd9bee1']];
WITH $memory AS memory, $edges AS edges
UNWIND edges AS edge
MATCH (source:Tag {name: edge[0]}) WHERE source.memory = memory
CALL (source, edge, memory) {
  MATCH (target:Tag {name: edge[1]}) WHERE target.memory = memory
  RETURN target
}
MATCH path = (source)-[:CO_OCCURS]-(target)
OPTIONAL MATCH about = (:Chunk {id: edge[2]})-[:TAGGED]->(target)
RETURN path, about
