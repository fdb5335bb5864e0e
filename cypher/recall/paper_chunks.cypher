// The chunks that hold both ends of a retrieved edge, ordered by the sum of the weights of their edges.
// They are read from the rarer end. At most $most chunks an edge, those with the smallest ids: an edge between hubs may stand in thousands.
// Returns: chunks as [id, tokens, score, [[src, dst], …] its edges]; cut, the edges with more chunks than that.
:param edges => [[1, 2, 3.0]];
:param most => 1000;
UNWIND $edges AS row
MATCH (a:Tag)-[edge:CO_OCCURS]->(b:Tag) WHERE edge.src = row[0] AND edge.dst = row[1]
WITH row, a, b, COUNT { (a)<-[:TAGGED]-() } <= COUNT { (b)<-[:TAGGED]-() } AS rarer
WITH row, CASE WHEN rarer THEN a ELSE b END AS rare, CASE WHEN rarer THEN b ELSE a END AS common
CALL (rare, common) {
  MATCH (rare)<-[:TAGGED]-(chunk:Chunk)
  WHERE EXISTS { (chunk)-[:TAGGED]->(common) }
  RETURN chunk ORDER BY chunk.id LIMIT $most + 1
}
WITH row, collect(chunk) AS chunks
WITH collect([row, chunks[..$most]]) AS rows,
  [each IN collect(CASE WHEN size(chunks) > $most THEN [row[0], row[1]] END) WHERE each IS NOT NULL] AS cut
CALL (rows) {
  UNWIND rows AS each
  WITH each[0] AS row, each[1] AS chunks
  UNWIND chunks AS chunk
  WITH chunk, sum(row[2]) AS score, collect([row[0], row[1]]) AS edges
  ORDER BY score DESC, chunk.id
  RETURN collect([chunk.id, chunk.tokens, score, edges]) AS chunks
}
RETURN chunks, cut
