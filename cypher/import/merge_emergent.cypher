// Make edges that grew from use, with no chunk behind them; what was learned on them is set by import/restore_edges.
// Such a pair is counted as used together no longer.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: edges, the number found or made.
:param edges => [[1, 2]];
UNWIND $edges AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
MERGE (a)-[edge:CO_OCCURS {src: row[0], dst: row[1]}]->(b)
ON CREATE SET edge.weight = 0
WITH row, edge
CALL (row) {
  MATCH ()-[joint:CO_ACTIVATED]->()
  USING INDEX SEEK joint:CO_ACTIVATED(src, dst)
  WHERE joint.src = row[0] AND joint.dst = row[1]
  DELETE joint
}
RETURN count(*) AS edges
