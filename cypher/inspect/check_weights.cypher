// Invariant: weight(a, b) is the number of chunks tagged with both, for every pair; rank follows; one edge, from the smaller id.
// Tags are taken in pages by key, so that a large memory is proved in bounded steps; each pair is looked at from its smaller end.
// Expected counts come from the chunks, edges from the unique index (src, dst). Edges without a chunk are searched only at a tag
// that has more edges than were found so, from the end with fewer chunks (toIntegerOrNull: not by the index on ids): a hub costs one pass
// over its chunks, not one an edge.
// An edge that grew from use has weight 0 while no chunk is behind it, and ranks as if that were 1.
// Returns: a row a fault (where, expected, found); the page ends at the key that check_page returns.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (a:Tag)
USING INDEX SEEK a:Tag(memory, key)
WHERE a.memory = $memory AND a.key > $after AND a.key <= $until
CALL (a) {
  MATCH (a)<-[:TAGGED]-(chunk:Chunk)-[:TAGGED]->(b:Tag)
  WHERE toIntegerOrNull(b.id) > a.id
  WITH a, b, count(DISTINCT chunk) AS weight
  OPTIONAL MATCH ()-[edge:CO_OCCURS]->()
  USING INDEX SEEK edge:CO_OCCURS(src, dst)
  WHERE edge.src = a.id AND edge.dst = b.id
  WITH a, b, weight, edge, toFloat(weight) * coalesce(toFloatOrNull(edge.strength), 0.5) / 0.5 AS rank,
       edge IS NOT NULL AND startNode(edge) = a AND endNode(edge) = b AS there
  WITH edge.emergent IS NULL AND there AS plain, CASE
    WHEN NOT there OR NOT edge.weight IS :: INTEGER NOT NULL OR edge.weight <> weight OR NOT edge.rank IS :: FLOAT NOT NULL
      OR NOT abs(toFloatOrNull(edge.rank) - rank) <= 1e-9
    THEN [b.name, 'weight ' + toString(weight) + ', rank ' + toString(rank), CASE WHEN edge IS NULL THEN 'no edge'
          ELSE 'weight ' + coalesce(toStringOrNull(edge.weight), 'null') + ', rank ' + coalesce(toStringOrNull(edge.rank), 'null')
               + CASE WHEN there THEN '' ELSE ', wrong ends' END END] END AS fault
  RETURN collect(fault) AS faults, count(CASE WHEN plain THEN 1 END) AS paired
}
CALL (a, faults, paired) {
  UNWIND faults AS fault
  RETURN fault[0] AS other, fault[1] AS expected, fault[2] AS found
  UNION ALL
  WITH a, paired
  WITH a, COUNT { (a)-[plain:CO_OCCURS]->() WHERE plain.emergent IS NULL } <> paired AS more
  MATCH (a)-[edge:CO_OCCURS]->(b:Tag)
  WHERE more OR edge.emergent IS NOT NULL
  WITH b, edge, CASE WHEN COUNT { (a)<-[:TAGGED]-() } <= COUNT { (b)<-[:TAGGED]-() } THEN [a, b] ELSE [b, a] END AS ends
  WITH b, edge, ends[0] AS rarer, ends[1] AS commoner
  WHERE NOT EXISTS { (rarer)<-[:TAGGED]-(:Chunk)-[:TAGGED]->(tag:Tag) WHERE toIntegerOrNull(tag.id) = commoner.id }
  WITH b, edge, coalesce(toFloatOrNull(edge.strength), 0.5) / 0.5 AS rank
  WHERE edge.emergent IS NULL OR NOT edge.weight IS :: INTEGER NOT NULL OR edge.weight <> 0 OR NOT edge.rank IS :: FLOAT NOT NULL
      OR NOT abs(toFloatOrNull(edge.rank) - rank) <= 1e-9
  RETURN b.name AS other, CASE WHEN edge.emergent IS NULL THEN 'no edge' ELSE 'weight 0, rank ' + toString(rank) END AS expected,
         'weight ' + coalesce(toStringOrNull(edge.weight), 'null') + ', rank ' + coalesce(toStringOrNull(edge.rank), 'null') AS found
  UNION ALL
  WITH a
  MATCH (a)-[edge:CO_OCCURS]->(b:Tag)
  WHERE edge.src IS NULL OR edge.dst IS NULL OR edge.src <> a.id OR edge.dst <> b.id OR a.id >= b.id
     OR b.memory IS NULL OR b.memory <> a.memory
  RETURN b.name AS other, 'src and dst are the ends, smaller id first, one memory' AS expected,
         'src ' + coalesce(toStringOrNull(edge.src), 'null') + ', dst ' + coalesce(toStringOrNull(edge.dst), 'null') AS found
}
RETURN coalesce(toStringOrNull(a.name), 'null') + ' – ' + coalesce(toStringOrNull(other), 'null') AS where, expected, found ORDER BY where, expected, found
