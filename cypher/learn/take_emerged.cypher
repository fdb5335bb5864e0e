// Take back edges that grew from use and have no chunk behind them, and tags that nothing else holds.
// Returns: edges, the number deleted (it must be the number of rows), and tags that went with them.
:param edges => [[1, 2]];
CALL () {
  UNWIND $edges AS row
  MATCH (a:Tag)-[edge:CO_OCCURS]->(b:Tag)
  USING INDEX SEEK edge:CO_OCCURS(src, dst)
  WHERE edge.src = row[0] AND edge.dst = row[1] AND edge.weight = 0
  DELETE edge
  RETURN count(*) AS edges, collect(a) + collect(b) AS ends
}
CALL (ends) {
  UNWIND ends AS tag
  WITH DISTINCT tag
  WHERE NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
  CALL (tag) { MATCH (tag)-[joint:CO_ACTIVATED]-() DELETE joint }
  DELETE tag
  RETURN count(*) AS tags
}
RETURN edges, tags
