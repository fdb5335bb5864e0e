// From the best chunks over the tags they share to other chunks. Round trip 2 of 3.
// Degrees decide which tags lead on, all or none, so the order of ingestion does not matter: to the chunks about a
// tag if at most $linkAbout are, to all that hold it, at $body, if at most $linkTagged do. Only entities and primary
// tags lead, and none that the question names itself ($grams). Of the chunks not met before, the $cap best-linked
// come back. Learned edges from the question's tags ($cues) widen a link by up to a half; only they have a strength,
// so the index (src, strength), and its mirror, finds them without reading a hub. Strengths decay to $cycle (lazily:
// s − λ(n − x(1 − xⁿ)/(1 − x)), λ = 0.05, x = exp(−1/5)); what has evidence never falls below 0.5.
// Once something was learned ($cycle > 0), chunks that learned episodes have used come with the questions of those, the
// $episodes latest of each: a chunk that a validated answer to a like question cites ranks higher.
// Returns: sources as [id, ids of the question's tags they hold, id of the first primary tag]; seen as
// [id, [[source number, worth, tag id], …]] for the chunks in $known; fresh as the same with terms, length, tokens
// and ids of primary tags, first one first; taught as [id, [question, …]].
:param sources => ['demo:82c885216882eab909b146c53fd9bee1', 'demo:ce895026a4f2250c98c9364a8c4d3a38'];
:param scores => [1.0, 0.8];
:param grams => [1];
:param cues => [1];
:param known => {`demo:82c885216882eab909b146c53fd9bee1`: 1, `demo:ce895026a4f2250c98c9364a8c4d3a38`: 1};
:param n => 12;
:param cycle => 0;
:param linkAbout => 20;
:param linkTagged => 50;
:param body => 0.4;
:param cap => 40;
:param episodes => 20;
CALL () {
  UNWIND $cues AS cue
  CALL (cue) {
    MATCH ()-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(src, strength)
    WHERE edge.src = cue AND edge.strength > 0.5
    RETURN edge, edge.dst AS tag ORDER BY edge.src DESC, edge.strength DESC LIMIT 200
    UNION ALL
    MATCH ()-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(dst, strength)
    WHERE edge.dst = cue AND edge.strength > 0.5
    RETURN edge, edge.src AS tag ORDER BY edge.dst DESC, edge.strength DESC LIMIT 200
  }
  WITH edge, tag, exp(-0.2) AS x,
    CASE WHEN $cycle > edge.usedCycle THEN $cycle - edge.usedCycle ELSE 0 END AS idle
  WITH tag, coalesce(edge.usedStrength, edge.strength) - 0.05 * (idle - x * (1 - x ^ idle) / (1 - x)) AS strength
  WITH tag, strength WHERE strength > 0.5 AND strength <= 1
  WITH tag, max(strength) AS strength
  RETURN collect([tag, strength]) AS learned
}
CALL (learned) {
  UNWIND range(0, size($sources) - 1) AS i
  MATCH (source:Chunk {id: $sources[i]})-[tagged:TAGGED]->(tag:Tag)
  WHERE NOT tag.id IN $grams AND (tagged.kind = 'entity' OR EXISTS { (source)-[:ABOUT]->(tag) })
  WITH learned, tag, collect([i, source]) AS sources, COUNT { (tag)<-[:TAGGED]-() } AS df WHERE df >= 2
  WITH tag, sources, df, log(1 + ($n - df + 0.5) / (df + 0.5)) / log(1 + $n) AS specificity,
    reduce(best = 0.5, edge IN learned | CASE WHEN edge[0] = tag.id AND edge[1] > best THEN edge[1] ELSE best END) AS strength
  WITH tag, sources, df, specificity * (1 + 0.5 * (strength - 0.5) / 0.5) AS worth
  CALL (tag, df, worth) {
    WITH tag, worth WHERE COUNT { (tag)<-[:ABOUT]-() } <= $linkAbout
    MATCH (tag)<-[:ABOUT]-(chunk:Chunk) RETURN chunk, worth AS link
    UNION ALL
    WITH tag, worth, df WHERE df <= $linkTagged
    MATCH (tag)<-[:TAGGED]-(chunk:Chunk) RETURN chunk, $body * worth AS link
  }
  UNWIND sources AS source
  WITH chunk, tag, link, source WHERE source[1] <> chunk
  WITH chunk, source[0] AS i, max([link, tag.key, tag.id]) AS link
  WITH chunk, collect([i, link[0], link[2]]) AS links, max($scores[i] * link[0]) AS best
  ORDER BY best DESC, chunk.id
  WITH collect([chunk, links]) AS linked
  RETURN [each IN linked WHERE $known[each[0].id] IS NOT NULL | [each[0].id, each[1]]] AS seen,
    [each IN linked WHERE $known[each[0].id] IS NULL][..$cap] AS new
}
CALL (new) {
  UNWIND new AS each
  WITH each[0] AS chunk, each[1] AS links
  RETURN collect([chunk.id, links, chunk.terms, chunk.length, chunk.tokens, COLLECT {
    MATCH (chunk)-[:ABOUT]->(tag:Tag) RETURN tag.id ORDER BY size(split(tag.key, ' ')) DESC, tag.key
  }]) AS fresh
}
CALL (seen) {
  UNWIND $sources AS id
  MATCH (source:Chunk {id: id})
  RETURN collect([id,
    COLLECT { MATCH (source)-[:TAGGED]->(tag:Tag) WHERE tag.id IN $cues RETURN tag.id ORDER BY tag.id }]) AS sources
}
CALL (new) {
  UNWIND CASE WHEN $cycle > 0 THEN keys($known) + [each IN new | each[0].id] ELSE [] END AS id
  MATCH (chunk:Chunk {id: id})
  WITH chunk, COLLECT {
    MATCH (chunk)<-[:USED]-(episode:Episode) WHERE episode.status = 'learned'
    RETURN episode.question ORDER BY episode.cycle DESC, episode.id LIMIT $episodes
  } AS questions
  WHERE size(questions) > 0
  RETURN collect([chunk.id, questions]) AS taught
}
RETURN sources, seen, fresh, taught
