// Choose how far edges with evidence decay: to 0.5, so that use never costs, or to 0.1, every edge, as Kairos publishes it.
// Takes the memory's lock first. With 0.1 (BambooMemory.floor) an edge that was never used fades from 0.5 since cycle 0.
// When the rule changes, a sweep to the memory's cycle begins at once, or the one under way begins anew; strengths follow
// from the last use alone, so going back to 0.5 gives the graph that was never otherwise.
// Returns: changed, whether it was another rule; no row where there is no such memory, or it is being forgotten or imported.
:param memory => "demo";
:param floor => 0.5;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = coalesce(memory.writes, 0) + 1
WITH memory, (coalesce(memory.floor, 0.5) = 0.1) <> ($floor = 0.1) AS changed
WHERE memory.wiping IS NULL AND memory.importing IS NULL
FOREACH (other IN CASE WHEN changed THEN [memory] ELSE [] END |
  SET other.floor = CASE WHEN $floor = 0.1 THEN 0.1 END, other.sweeping = other.cycle, other.sweepAfter = null)
RETURN changed
