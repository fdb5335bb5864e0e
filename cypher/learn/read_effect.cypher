// What an episode did to the graph, read under the memory's lock before it is undone.
// Returns: one row, or none: status, cycle, undoing (the attempt that undid it), src, dst, facts, before, after, jointBefore
// and jointAfter, as they stand on it.
:param memory => "demo";
:param id => "demo:e";
MATCH (episode:Episode {id: $id})
WHERE episode.memory = $memory
RETURN episode.status AS status, episode.cycle AS cycle, episode.undoing AS undoing, episode.src AS src, episode.dst AS dst,
       episode.facts AS facts, episode.before AS before, episode.after AS after,
       episode.jointBefore AS jointBefore, episode.jointAfter AS jointAfter
