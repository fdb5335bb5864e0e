// Bring strengths and ranks to one cycle: one batch of a sweep, at most $limit edges, in the order of the tags' keys.
// The first clause takes the memory's lock, and all that is matched is matched in subqueries after it. The first batch sets
// BambooMemory.sweeping to the cycle, each moves `sweepAfter` to the last tag that is done, the last one moves sweeping to
// swept; so several programs may take turns, and one that was killed is gone on from. What a strength becomes follows from
// the last use alone, s − λ(n − x(1 − xⁿ)/(1 − x)), λ = 0.05, x = exp(−1/5), n = the cycles since, never below its floor:
// 0.5 where a chunk is behind an edge (BambooMemory.floor says otherwise: see learn/set_rule), 0.1 elsewhere; a fact that was
// stated with less stays there. So no cycle counts twice. Only edges that differ are written. Used edges are found by the sparse
// index (src, strength). An edge with damaged numbers (NaN, text, null) is left as it is and counted: types are asked for before
// arithmetic.
// Returns: edges written, skipped (damaged ones that were passed) and remaining, 0 when the memory's cycle is reached; no row where there
// is no such memory, or it is being forgotten or imported.
:param memory => "demo";
:param limit => 5000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = coalesce(memory.writes, 0) + 1
WITH memory
WHERE memory.wiping IS NULL AND memory.importing IS NULL AND memory.cycle IS :: INTEGER NOT NULL
SET memory.sweeping = CASE
  WHEN memory.sweeping IS :: INTEGER NOT NULL THEN memory.sweeping
  WHEN memory.swept IS NULL OR memory.swept <> memory.cycle THEN memory.cycle END
WITH memory, memory.sweeping AS cycle, coalesce(memory.sweepAfter, '') AS after, 2000 AS page,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
CALL (memory, cycle, after, page) {
  WITH memory, cycle, after, page WHERE cycle IS NOT NULL
  MATCH (tag:Tag)
  USING INDEX SEEK tag:Tag(memory, key)
  WHERE tag.memory = memory.name AND tag.key > after
  WITH tag ORDER BY tag.memory, tag.key LIMIT 2000
  RETURN collect(tag) AS tags
}
CALL (tags, cycle, evidence) {
  UNWIND tags AS tag
  CALL (tag, evidence) {
    MATCH ()-[edge:CO_OCCURS]->()
    USING INDEX SEEK edge:CO_OCCURS(src, strength)
    WHERE edge.src = tag.id AND edge.strength IS NOT NULL
    RETURN edge
    UNION ALL
    WITH tag, evidence
    WITH tag WHERE evidence < 0.5
    MATCH (tag)-[edge:CO_OCCURS]->() WHERE edge.strength IS NULL
    RETURN edge
    UNION ALL
    WITH tag
    MATCH (tag)-[edge:FACT]->()
    RETURN edge
  }
  WITH tag.key AS key, edge, cycle, evidence, type(edge) = 'FACT' AS stated, exp(-0.2) AS x, CASE
    WHEN (type(edge) = 'FACT' OR edge.weight IS :: INTEGER NOT NULL)
      AND (edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL
        OR edge.usedStrength IS NULL AND edge.usedCycle IS NULL AND type(edge) <> 'FACT')
    THEN coalesce(edge.usedStrength, 0) >= 0 AND coalesce(edge.usedStrength, 0) <= 1 AND coalesce(edge.weight, 0) >= 0
      AND abs(coalesce(edge.usedCycle, 0) / 2) < 1000000000000000
    ELSE false END AS sound
  WITH *, CASE WHEN sound THEN coalesce(toFloat(edge.usedStrength), 0.5) END AS last,
    CASE WHEN sound AND cycle > coalesce(edge.usedCycle, 0) THEN toFloat(cycle - coalesce(edge.usedCycle, 0)) ELSE 0.0 END AS n
  WITH *, last - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS decayed,
    CASE WHEN stated AND last < 0.1 THEN last WHEN stated OR sound AND edge.weight = 0 THEN 0.1 ELSE evidence END AS floor
  WITH *, CASE WHEN NOT sound OR edge.usedStrength IS NULL AND evidence = 0.5 THEN null
    WHEN decayed > floor THEN decayed ELSE floor END AS strength
  WITH *, CASE WHEN sound AND NOT stated
    THEN CASE WHEN edge.weight < 1 THEN 1.0 ELSE toFloat(edge.weight) END * coalesce(strength, 0.5) / 0.5 END AS rank
  WHERE NOT sound OR NOT coalesce(edge.strength = strength, false) OR NOT stated AND NOT coalesce(edge.rank = rank, false)
  WITH key, edge, stated, strength, rank, sound LIMIT $limit + 1
  RETURN collect([key, edge, stated, strength, rank, sound]) AS rows
}
WITH memory, cycle, after, page, tags, rows[..$limit] AS rows,
  CASE WHEN size(rows) > $limit THEN rows[$limit][0] END AS stop
WITH *, [row IN rows WHERE stop IS NULL OR row[0] <> stop] AS passed, none(row IN rows WHERE row[5]) AS stuck
WITH *, CASE WHEN stop IS NULL THEN tags[-1].key WHEN size(passed) > 0 THEN passed[-1][0] WHEN stuck THEN stop ELSE after END AS until,
  stop IS NULL AND size(tags) < page AS done
CALL (rows) {
  UNWIND rows AS row
  WITH row[1] AS edge, row[2] AS stated, row[3] AS strength, row[4] AS rank, row[5] AS sound
  WHERE sound
  SET edge.strength = strength
  FOREACH (pair IN CASE WHEN stated THEN [] ELSE [edge] END | SET pair.rank = rank)
  RETURN count(*) AS edges
}
FOREACH (swept IN CASE WHEN done AND cycle IS NOT NULL THEN [memory] ELSE [] END |
  SET swept.swept = cycle, swept.sweeping = null, swept.sweepAfter = null)
FOREACH (going IN CASE WHEN done THEN [] ELSE [memory] END | SET going.sweepAfter = until)
RETURN edges, size([row IN CASE WHEN size(passed) = 0 AND stuck THEN rows ELSE passed END WHERE NOT row[5]]) AS skipped,
  CASE WHEN done AND coalesce(cycle = memory.cycle, true) THEN 0 ELSE 1 END AS remaining
