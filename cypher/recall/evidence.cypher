// The texts of the chosen chunks and the edges that led to them. Round trip 3 of 3.
// Chunks are found by id, edges by the unique pair (src, dst), src being the smaller Tag.id. The strength of an edge
// that was never used is 0.5; a learned one decays to $cycle, to 0.5 where there is evidence, else to 0.1; an emergent edge
// there, with no evidence, counts as gone.
// A chunk that no link led to ($direct, with the id of its first primary tag) is joined to the question by the edges
// between that tag and the question's tags ($cues) that it holds.
// An edge whose weight is no finite number is left out: it is damaged, and `bamboo check` names it.
// Allows: CartesianProduct because each side is a few nodes, found by their unique ids.
// Returns: chunks as [id, document id, title, ordinal, text, tokens]; direct as [chunk id, id of the question's tag,
// id of the primary tag]; edges as [src, dst, name of src, name of dst, weight, strength].
:param ids => ['demo:82c885216882eab909b146c53fd9bee1', 'demo:ce895026a4f2250c98c9364a8c4d3a38'];
:param pairs => [[1, 2]];
:param direct => [['demo:82c885216882eab909b146c53fd9bee1', 2]];
:param cues => [1];
:param cycle => 0;
CALL () {
  UNWIND $ids AS id
  MATCH (chunk:Chunk {id: id})-[:FROM_DOCUMENT]->(document:Document)
  RETURN collect([chunk.id, document.id, document.title, chunk.ordinal, chunk.text, chunk.tokens]) AS chunks
}
CALL (chunks) {
  UNWIND $direct AS row
  MATCH (chunk:Chunk {id: row[0]})-[:TAGGED]->(cue:Tag) WHERE cue.id IN $cues AND cue.id <> row[1]
  WITH row, cue.id AS cue ORDER BY row[0], cue
  RETURN collect([row[0], cue, row[1]]) AS direct
}
CALL (direct) {
  UNWIND $pairs + [row IN direct | CASE WHEN row[1] < row[2] THEN row[1..] ELSE [row[2], row[1]] END] AS pair
  WITH DISTINCT pair
  MATCH (a:Tag)-[edge:CO_OCCURS]->(b:Tag) WHERE edge.src = pair[0] AND edge.dst = pair[1] AND edge.weight >= 0 AND edge.weight < 1e18
  WITH a, edge, b, exp(-0.2) AS x, CASE WHEN edge.weight >= 1 THEN 0.5 ELSE 0.1 END AS floor,
    CASE WHEN $cycle > edge.usedCycle THEN $cycle - edge.usedCycle ELSE 0 END AS idle
  WITH a, edge, b, floor,
    coalesce(edge.usedStrength, edge.strength, 0.5) - 0.05 * (idle - x * (1 - x ^ idle) / (1 - x)) AS strength
  WHERE edge.weight >= 1 OR strength > floor
  RETURN collect([edge.src, edge.dst, a.name, b.name, edge.weight,
    CASE WHEN strength > floor THEN strength ELSE floor END]) AS edges
}
RETURN chunks, direct, edges
