// Invariant: weight(a, b) is the number of chunks tagged with both, for every pair; rank follows; one edge, from the smaller id.
// Tags are taken in pages by id, so that a large memory is proved in bounded steps; each pair is looked at from its smaller end.
// Expected counts come from the chunks, edges from the unique index (src, dst); what is left over has no chunk.
// Returns: a row a fault (where, expected, found); the page ends at the id that check_page returns.
:param memory => "demo";
:param after => 0;
:param until => 1000;
MATCH (a:Tag)
WHERE a.id > $after AND a.id <= $until AND a.memory = $memory
CALL (a) {
  MATCH (a)<-[:TAGGED]-(chunk:Chunk)-[:TAGGED]->(b:Tag)
  WHERE b.id > a.id
  WITH a, b, count(DISTINCT chunk) AS weight
  OPTIONAL MATCH ()-[edge:CO_OCCURS]->() WHERE edge.src = a.id AND edge.dst = b.id
  WITH a, b, weight, edge, toFloat(weight) * coalesce(edge.strength, 0.5) / 0.5 AS rank
  WHERE edge IS NULL OR edge.weight <> weight OR startNode(edge) <> a OR endNode(edge) <> b
     OR edge.rank IS NULL OR NOT abs(edge.rank - rank) <= 1e-9
  RETURN a.name + ' – ' + b.name AS where,
         'weight ' + toString(weight) + ', rank ' + toString(rank) AS expected,
         CASE WHEN edge IS NULL THEN 'no edge'
              ELSE 'weight ' + coalesce(toString(edge.weight), 'null') + ', rank ' + coalesce(toString(edge.rank), 'null')
                   + CASE WHEN startNode(edge) <> a OR endNode(edge) <> b THEN ', wrong ends' ELSE '' END END AS found
  UNION ALL
  WITH a
  MATCH (a)-[edge:CO_OCCURS]->(b:Tag)
  WHERE (edge.emergent IS NULL OR edge.weight > 0)
    AND NOT EXISTS { (a)<-[:TAGGED]-(:Chunk)-[:TAGGED]->(b) }
  RETURN a.name + ' – ' + b.name AS where, 'no edge' AS expected, 'weight ' + coalesce(toString(edge.weight), 'null') AS found
  UNION ALL
  WITH a
  MATCH (a)-[edge:CO_OCCURS]->(b:Tag)
  WHERE edge.src IS NULL OR edge.dst IS NULL OR edge.src <> a.id OR edge.dst <> b.id OR a.id >= b.id OR b.memory <> a.memory
  RETURN a.name + ' – ' + b.name AS where, 'src and dst are the ends, smaller id first, one memory' AS expected,
         'src ' + coalesce(toString(edge.src), 'null') + ', dst ' + coalesce(toString(edge.dst), 'null') AS found
}
RETURN where, expected, found ORDER BY where, expected, found
