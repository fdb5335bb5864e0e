// The ledger: episodes in the order in which they were recorded, with the edges and facts they used by name.
// $status null is all of them; $beginning chooses by the beginning of the id, which starts with the memory's name.
// Tags of an edge may stand in either order, after an import into a database that gave them other ids.
// Returns: a row an episode: id, question, answer, status, cycle, gate, trust, scores as [name, value, reason], reasons,
// modules, confidence, path, createdAt, undoneAt, used, edges as [name, name], shares, facts as [id, subject, predicate,
// object], factShares, before, after, jointBefore, jointAfter, chunks; a name is null where its tag is gone.
:param memory => "demo";
:param beginning => "demo:";
:param end => "demo;";
:param status => null;
MATCH (episode:Episode)
WHERE episode.id >= $beginning AND episode.id < $end
  AND episode.memory = $memory AND ($status IS NULL OR episode.status = $status)
WITH episode ORDER BY episode.createdAt, episode.id
RETURN episode.id AS id, episode.question AS question, episode.answer AS answer, episode.status AS status,
       episode.cycle AS cycle, episode.gate AS gate, episode.trust AS trust,
       [['logical', episode.logical, episode.logicalReason], ['grounding', episode.grounding, episode.groundingReason],
        ['novelty', episode.novelty, episode.noveltyReason], ['alignment', episode.alignment, episode.alignmentReason]] AS scores,
       episode.reasons AS reasons, episode.modules AS modules, episode.confidence AS confidence, episode.path AS path,
       toString(episode.createdAt) AS createdAt, toString(episode.undoneAt) AS undoneAt, episode.used AS used,
       COLLECT {
         UNWIND range(0, size(episode.src) - 1) AS i
         OPTIONAL MATCH (src:Tag {id: episode.src[i]}) WHERE src.memory = episode.memory
         OPTIONAL MATCH (dst:Tag {id: episode.dst[i]}) WHERE dst.memory = episode.memory
         RETURN [src.name, dst.name] ORDER BY i
       } AS edges,
       episode.shares AS shares,
       COLLECT {
         UNWIND range(0, size(episode.facts) - 1) AS i
         OPTIONAL MATCH (subject:Tag)-[fact:FACT]->(object:Tag)
         USING INDEX SEEK fact:FACT(id)
         WHERE fact.id = episode.facts[i]
         RETURN [episode.facts[i], subject.name, fact.predicate, object.name] ORDER BY i
       } AS facts,
       episode.factShares AS factShares, episode.before AS before, episode.after AS after,
       episode.jointBefore AS jointBefore, episode.jointAfter AS jointAfter,
       COLLECT { MATCH (episode)-[:USED]->(chunk:Chunk) RETURN chunk.id ORDER BY chunk.id } AS chunks
