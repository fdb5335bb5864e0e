// Mend what use left on the edges of a page of tags. Strengths are derived again from the last use and the memory's clock, as of
// the last sweep or of the one under way, and ranks from them; a use in the future was at the present cycle. What is damaged
// (NaN, text, some of it missing) is lost: the edge is as if it had never been used, and one without a chunk goes. Counts of
// joint use that are damaged, or stand beside an edge, go.
// Takes the memory's lock first; the pages are those of inspect/check_page.
// While an import is unfinished nothing is mended: the clock that its strengths belong to comes last.
// Returns: mended, the number of edges and counts that were changed or deleted.
:param memory => "demo";
:param after => "";
:param until => "k";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = coalesce(memory.writes, 0) + 1
WITH memory WHERE memory.importing IS NULL
WITH memory, CASE WHEN memory.cycle IS :: INTEGER NOT NULL THEN memory.cycle ELSE 0 END AS cycle,
  CASE WHEN memory.sweeping IS :: INTEGER NOT NULL THEN memory.sweeping WHEN memory.swept IS :: INTEGER NOT NULL THEN memory.swept ELSE 0 END AS swept,
  CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
CALL (memory, cycle, swept, evidence) {
  MATCH (a:Tag)-[edge:CO_OCCURS|FACT]->(:Tag)
  WHERE a.memory = memory.name AND a.key > $after AND a.key <= $until
    AND (type(edge) = 'FACT' OR edge.strength IS NOT NULL OR edge.usedStrength IS NOT NULL OR edge.usedCycle IS NOT NULL
      OR edge.activations IS NOT NULL OR edge.emergent IS NOT NULL OR evidence < 0.5)
  WITH edge, cycle, swept, evidence, type(edge) = 'FACT' AS stated, coalesce(edge.weight > 0, false) AS evident, exp(-0.2) AS x,
    CASE WHEN edge.usedCycle IS :: INTEGER NOT NULL AND edge.usedCycle > cycle THEN cycle ELSE edge.usedCycle END AS since, CASE
      WHEN edge.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND edge.usedCycle IS :: INTEGER NOT NULL AND edge.activations IS :: INTEGER NOT NULL
      THEN edge.usedStrength >= 0 AND edge.usedStrength <= 1 AND edge.usedCycle > -1000000000000000
        AND edge.activations >= CASE WHEN type(edge) = 'FACT' THEN 0 ELSE 1 END
        AND (edge.emergent IS NULL OR edge.emergent IS :: INTEGER NOT NULL OR coalesce(edge.emergent = true, false))
      ELSE false END AS used
  WITH *, NOT used AND NOT stated AND NOT evident AS gone,
    NOT used AND (edge.usedStrength IS NOT NULL OR edge.usedCycle IS NOT NULL OR edge.activations IS NOT NULL OR edge.emergent IS NOT NULL) AS lost,
    CASE WHEN used THEN toFloat(edge.usedStrength) ELSE 0.5 END AS last,
    CASE WHEN NOT used THEN toFloat(swept) WHEN swept > since THEN toFloat(swept - since) ELSE 0.0 END AS n
  WITH *, last - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) AS decayed,
    CASE WHEN stated AND last < 0.1 THEN last WHEN stated OR NOT evident THEN 0.1 ELSE evidence END AS floor
  WITH *, CASE WHEN NOT used AND evidence = 0.5 THEN null WHEN decayed > floor THEN decayed ELSE floor END AS strength
  WITH *, edge.strength = strength OR edge.strength IS NULL AND strength IS NULL AS right
  WHERE NOT (stated AND NOT used) AND (gone OR lost OR NOT coalesce(right, false) OR edge.usedCycle <> since)
  FOREACH (mended IN CASE WHEN gone THEN [] ELSE [edge] END | SET mended.strength = strength, mended.usedCycle = since)
  FOREACH (anew IN CASE WHEN lost AND NOT gone AND NOT stated THEN [edge] ELSE [] END |
    SET anew.usedStrength = null, anew.usedCycle = null, anew.activations = null, anew.emergent = null)
  FOREACH (pair IN CASE WHEN gone OR stated THEN [] ELSE [edge] END |
    SET pair.rank = CASE WHEN evident THEN toFloat(pair.weight) ELSE 1.0 END * coalesce(pair.strength, 0.5) / 0.5)
  FOREACH (faded IN CASE WHEN gone THEN [edge] ELSE [] END | DELETE faded)
  RETURN count(*) AS edges
}
CALL (memory, cycle) {
  MATCH (a:Tag)-[joint:CO_ACTIVATED]->(b)
  WHERE a.memory = memory.name AND a.key > $after AND a.key <= $until
  WITH a, b, joint, cycle, CASE
    WHEN joint.usedStrength IS NULL AND joint.usedCycle IS NULL AND joint.activations IS NULL THEN true
    WHEN joint.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND joint.usedCycle IS :: INTEGER NOT NULL AND joint.activations IS :: INTEGER NOT NULL
    THEN joint.usedStrength >= 0 AND joint.usedStrength <= 1 AND joint.usedCycle <= cycle AND joint.usedCycle > -1000000000000000
      AND joint.activations >= 1 AND coalesce(joint.count >= 3, false)
    ELSE false END AS sound
  WHERE NOT (sound AND coalesce(joint.src = a.id AND joint.dst = b.id AND a.id < b.id AND b.memory = a.memory, false)
    AND joint.count IS :: INTEGER NOT NULL AND coalesce(joint.count >= 1, false) AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) })
  DELETE joint
  RETURN count(*) AS joints
}
RETURN edges + joints AS mended
