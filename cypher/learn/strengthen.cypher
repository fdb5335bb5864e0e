// Learn from the episodes that wait, each exactly once, in the order of createdAt; at most $limit edges, one episode at least.
// The first clause takes the memory's lock, and all that is matched is matched in subqueries after it: of two that run at
// once the second finds the first one's episodes learned. Each episode begins a cycle; the edges of its path are brought to
// the cycle before it, by the closed form of decay s − λ(n − x(1 − xⁿ)/(1 − x)), λ = 0.05, x = exp(−1/5), down to 0.5 where a
// chunk is behind them and to 0.1 elsewhere (a fact stated with less: there), then strengthened, s + 0.1·p·(1 − s). Pairs used together with neither an
// edge nor a fact between are counted; the third use begins an edge with strength 0.3, which CO_ACTIVATED carries until
// learn/emerge has made it. An emergent edge without evidence that has faded to 0.1 counts as gone, so its count begins anew.
// Numbers that are damaged (NaN, text, null) are left alone and counted as skipped: types are asked for before arithmetic.
// A used strength stands in `strength` and `rank` at once: its cycle is later than that of any sweep.
// Returns: episodes learned, edges strengthened or counted, skipped (damaged edges and episodes) and remaining, the episodes
// that still wait; no row where there is no such memory, or it is being forgotten or imported.
:param memory => "demo";
:param limit => 5000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = coalesce(memory.writes, 0) + 1
WITH memory, CASE WHEN memory.floor = 0.1 THEN 0.1 ELSE 0.5 END AS evidence
WHERE memory.wiping IS NULL AND memory.importing IS NULL AND memory.cycle IS :: INTEGER NOT NULL
CALL (memory) {
  MATCH (episode:Episode)
  USING INDEX SEEK episode:Episode(memory, status)
  WHERE episode.memory = memory.name AND episode.status = 'validated'
  WITH episode ORDER BY episode.createdAt, episode.id LIMIT $limit
  WITH episode, CASE
    WHEN episode.src IS :: LIST<INTEGER NOT NULL> NOT NULL AND episode.dst IS :: LIST<INTEGER NOT NULL> NOT NULL
      AND episode.shares IS :: LIST<INTEGER NOT NULL> | LIST<FLOAT NOT NULL>
      AND episode.facts IS :: LIST<STRING NOT NULL> AND episode.factShares IS :: LIST<INTEGER NOT NULL> | LIST<FLOAT NOT NULL>
      AND episode.used IS :: INTEGER
    THEN size(episode.src) = size(episode.dst) AND size(episode.src) = size(coalesce(episode.shares, episode.src))
      AND size(coalesce(episode.facts, [])) = size(coalesce(episode.factShares, episode.facts, []))
    ELSE false END AS sound
  RETURN collect(CASE WHEN sound THEN episode END) AS waiting, collect(CASE WHEN NOT sound THEN episode END) AS damaged
}
CALL (damaged) {
  UNWIND damaged AS episode
  SET episode.status = 'rejected', episode.reasons = ['its lists are damaged']
  RETURN count(*) AS lost
}
WITH memory, evidence, memory.cycle AS start, waiting, lost,
  reduce(cut = [0, 0], episode IN waiting | CASE
    WHEN cut[1] = 0 OR cut[0] >= 0 AND cut[0] + size(episode.src) + size(coalesce(episode.facts, [])) <= $limit
    THEN [cut[0] + size(episode.src) + size(coalesce(episode.facts, [])), cut[1] + 1]
    ELSE [-1, cut[1]] END)[1] AS taken
CALL (evidence, start, waiting, taken) {
  UNWIND range(0, taken - 1) AS place
  WITH evidence, waiting[place] AS episode, start + place + 1 AS cycle
  CALL (evidence, episode, cycle) {
    UNWIND range(0, size(episode.src) - 1) AS i
    // an import may have given the tags ids in another order
    WITH evidence, episode, cycle, i, [episode.src[i], episode.dst[i]] AS pair, coalesce(toFloat(episode.shares[i]), 1.0) AS share
    WITH evidence, episode, cycle, i, share, CASE WHEN pair[0] < pair[1] THEN pair[0] ELSE pair[1] END AS src,
      CASE WHEN pair[0] < pair[1] THEN pair[1] ELSE pair[0] END AS dst
    OPTIONAL MATCH (a:Tag {id: src}) WHERE a.memory = episode.memory AND src < dst AND share > 0 AND share <= 1
    OPTIONAL MATCH (b:Tag {id: dst}) WHERE b.memory = a.memory
    OPTIONAL MATCH ()-[edge:CO_OCCURS]->() USING INDEX SEEK edge:CO_OCCURS(src, dst) WHERE edge.src = src AND edge.dst = dst
    OPTIONAL MATCH ()-[joint:CO_ACTIVATED]->() USING INDEX SEEK joint:CO_ACTIVATED(src, dst) WHERE joint.src = src AND joint.dst = dst
    WITH evidence, cycle, i, src, dst, share, a, b, edge, joint, coalesce(edge, joint) AS holder, b IS NOT NULL AS there,
      CASE WHEN joint.count IS :: INTEGER NOT NULL THEN joint.count ELSE 0 END AS count,
      i < coalesce(episode.used, size(episode.src)) OR edge.emergent IS NOT NULL AS wanted,
      EXISTS { (a)-[:FACT]-(b) } AS stated, ALL(tag IN [a, b] WHERE EXISTS { (tag)<-[:TAGGED]-() } OR EXISTS { (tag)-[:FACT]-() }
        OR COUNT { (tag)-[:CO_OCCURS]-() } > CASE WHEN edge IS NULL THEN 0 ELSE 1 END) AS held
    WITH *, CASE
      WHEN holder IS NULL OR edge IS NULL AND holder.usedStrength IS NULL THEN 'none'
      WHEN (edge IS NULL OR edge.weight IS :: INTEGER NOT NULL)
        AND (holder.usedStrength IS NULL AND holder.usedCycle IS NULL AND holder.activations IS NULL AND edge.weight > 0
          OR holder.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND holder.usedCycle IS :: INTEGER NOT NULL
          AND holder.activations IS :: INTEGER NOT NULL)
      THEN CASE WHEN coalesce(holder.usedStrength, 0) >= 0 AND coalesce(holder.usedStrength, 0) <= 1 AND coalesce(edge.weight, 0) >= 0
        AND abs(coalesce(holder.usedCycle, 0) / 2) < 1000000000000000 AND coalesce(holder.activations, 0) >= 0
        AND coalesce(holder.activations, 0) < 1000000000000000 THEN 'sound' ELSE 'damaged' END
      ELSE 'damaged' END AS state
    WITH *, CASE WHEN state <> 'sound' THEN [0.5, 0.0, 0.5] ELSE [
      coalesce(toFloat(holder.usedStrength), 0.5),
      CASE WHEN cycle - 1 > coalesce(holder.usedCycle, 0) THEN toFloat(cycle - 1 - coalesce(holder.usedCycle, 0)) ELSE 0.0 END,
      CASE WHEN edge.weight > 0 THEN evidence ELSE 0.1 END] END AS last, exp(-0.2) AS x
    WITH *, last[0] - 0.05 * (last[1] - x * (1 - x ^ last[1]) / (1 - x)) AS decayed, last[2] AS floor
    WITH *, CASE WHEN decayed > floor THEN decayed ELSE floor END AS now,
      state = 'sound' AND coalesce(edge.weight, 0) = 0 AND decayed <= floor AS gone
    WITH *, CASE WHEN NOT there OR state = 'damaged' THEN 'nothing'
      WHEN state = 'sound' AND NOT gone THEN CASE WHEN wanted OR edge IS NULL THEN 'strengthen' ELSE 'nothing' END
      WHEN stated OR NOT held THEN 'nothing' ELSE 'count' END AS action, CASE WHEN gone THEN 0 ELSE count END AS before
    WITH *, CASE WHEN action = 'strengthen' THEN CASE WHEN now + 0.1 * share * (1 - now) < 1 THEN now + 0.1 * share * (1 - now) ELSE 1.0 END
      WHEN before = 2 THEN 0.3 END AS after, CASE WHEN state = 'sound' AND action = 'strengthen' THEN coalesce(holder.activations, 0) + 1 ELSE 3 END AS uses
    WITH *, CASE WHEN state = 'sound' AND NOT gone AND holder.usedStrength IS NOT NULL
        THEN [toFloat(holder.usedStrength), toFloat(holder.usedCycle), toFloat(holder.activations)] ELSE [-1.0, -1.0, -1.0] END AS old
    FOREACH (used IN CASE WHEN action = 'strengthen' THEN [holder] ELSE [] END |
      SET used.usedStrength = after, used.usedCycle = cycle, used.activations = uses)
    FOREACH (used IN CASE WHEN action = 'strengthen' AND edge IS NOT NULL THEN [edge] ELSE [] END |
      SET used.strength = after, used.rank = CASE WHEN used.weight < 1 THEN 1.0 ELSE toFloat(used.weight) END * after / 0.5)
    FOREACH (pending IN CASE WHEN action = 'strengthen' AND edge IS NULL THEN [joint] ELSE [] END |
      SET pending.count = count + 1)
    FOREACH (faded IN CASE WHEN action = 'count' AND edge IS NOT NULL THEN [edge] ELSE [] END | DELETE faded)
    FOREACH (one IN CASE WHEN action = 'count' THEN [1] ELSE [] END |
      MERGE (a)-[counted:CO_ACTIVATED {src: src, dst: dst}]->(b)
      SET counted.count = before + 1, counted.usedStrength = after,
          counted.usedCycle = CASE WHEN after IS NOT NULL THEN cycle END, counted.activations = CASE WHEN after IS NOT NULL THEN uses END)
    WITH i, action, there AND state = 'damaged' AS skipped, old, before, edge IS NULL OR gone AS open,
      CASE action WHEN 'nothing' THEN old WHEN 'count' THEN
        CASE WHEN after IS NULL THEN [-1.0, -1.0, -1.0] ELSE [after, toFloat(cycle), toFloat(uses)] END
        ELSE [after, toFloat(cycle), toFloat(uses)] END AS new
    ORDER BY i
    RETURN collect([i, old, new, CASE WHEN open AND action <> 'nothing' THEN before ELSE -1 END,
        CASE WHEN open AND action <> 'nothing' THEN before + 1 ELSE -1 END]) AS pairs,
      count(CASE WHEN action <> 'nothing' THEN 1 END) AS pairsChanged, count(CASE WHEN skipped THEN 1 END) AS pairsSkipped
  }
  CALL (episode, cycle) {
    UNWIND range(0, size(coalesce(episode.facts, [])) - 1) AS i
    WITH episode, cycle, i, episode.facts[i] AS id, coalesce(toFloat(episode.factShares[i]), 1.0) AS share
    OPTIONAL MATCH (subject:Tag)-[fact:FACT]->() USING INDEX SEEK fact:FACT(id)
    WHERE fact.id = id AND subject.memory = episode.memory AND share > 0 AND share <= 1
    WITH *, CASE
      WHEN fact.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND fact.usedCycle IS :: INTEGER NOT NULL AND fact.activations IS :: INTEGER
      THEN fact.usedStrength >= 0 AND fact.usedStrength <= 1 AND abs(fact.usedCycle / 2) < 1000000000000000
        AND coalesce(fact.activations, 0) >= 0 AND coalesce(fact.activations, 0) < 1000000000000000
      ELSE false END AS sound, exp(-0.2) AS x
    WITH *, CASE WHEN sound AND cycle - 1 > fact.usedCycle THEN toFloat(cycle - 1 - fact.usedCycle) ELSE 0.0 END AS n
    WITH *, CASE WHEN sound THEN toFloat(fact.usedStrength) - 0.05 * (n - x * (1 - x ^ n) / (1 - x)) END AS decayed
    WITH *, CASE WHEN decayed >= 0.1 THEN decayed WHEN fact.usedStrength < 0.1 THEN toFloat(fact.usedStrength) ELSE 0.1 END AS now
    WITH *, CASE WHEN now + 0.1 * share * (1 - now) < 1 THEN now + 0.1 * share * (1 - now) ELSE 1.0 END AS after
    WITH *, CASE WHEN sound THEN [toFloat(fact.usedStrength), toFloat(fact.usedCycle), toFloat(coalesce(fact.activations, 0))]
      ELSE [-1.0, -1.0, -1.0] END AS old
    FOREACH (used IN CASE WHEN sound THEN [fact] ELSE [] END |
      SET used.strength = after, used.usedStrength = after, used.usedCycle = cycle, used.activations = coalesce(used.activations, 0) + 1)
    WITH i, sound, fact IS NOT NULL AND NOT sound AS skipped, old,
      CASE WHEN sound THEN [after, toFloat(cycle), old[2] + 1] ELSE old END AS new
    ORDER BY i
    RETURN collect([i, old, new]) AS facts, count(CASE WHEN sound THEN 1 END) AS factsChanged,
      count(CASE WHEN skipped THEN 1 END) AS factsSkipped
  }
  SET episode.status = 'learned', episode.cycle = cycle,
      episode.before = reduce(flat = [], row IN pairs + facts | flat + row[1]),
      episode.after = reduce(flat = [], row IN pairs + facts | flat + row[2]),
      episode.jointBefore = [row IN pairs | row[3]], episode.jointAfter = [row IN pairs | row[4]]
  RETURN sum(pairsChanged + factsChanged) AS edges, sum(pairsSkipped + factsSkipped) AS skipped
}
SET memory.cycle = start + taken
WITH memory, taken AS episodes, edges, skipped + lost AS skipped
CALL (memory) {
  MATCH (episode:Episode)
  USING INDEX SEEK episode:Episode(memory, status)
  WHERE episode.memory = memory.name AND episode.status = 'validated'
  RETURN count(*) AS remaining
}
RETURN episodes, edges, skipped, remaining
