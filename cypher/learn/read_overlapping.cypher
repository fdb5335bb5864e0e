// The other episodes of a memory that used some of the same edges or facts: learned ones after an episode, undone ones
// before it. Asked once, when an episode is undone: the ledger is read through, and only those that overlap come back.
// Returns: a row an episode, in the order of cycles: id, status, cycle, src, dst, facts, before, after, jointBefore, jointAfter.
:param memory => "demo";
:param cycle => 1;
:param edges => {`1-2`: true};
:param facts => {`demo:f`: true};
MATCH (episode:Episode)
WHERE episode.memory = $memory
  AND (episode.status = 'learned' AND episode.cycle > $cycle OR episode.status = 'undone' AND episode.cycle < $cycle)
  AND (any(i IN range(0, size(episode.src) - 1)
           WHERE $edges[toString(episode.src[i]) + '-' + toString(episode.dst[i])] IS NOT NULL
              OR $edges[toString(episode.dst[i]) + '-' + toString(episode.src[i])] IS NOT NULL)
       OR any(fact IN coalesce(episode.facts, []) WHERE $facts[fact] IS NOT NULL))
RETURN episode.id AS id, episode.status AS status, episode.cycle AS cycle, episode.src AS src, episode.dst AS dst,
       episode.facts AS facts, episode.before AS before, episode.after AS after,
       episode.jointBefore AS jointBefore, episode.jointAfter AS jointAfter
ORDER BY cycle, id
