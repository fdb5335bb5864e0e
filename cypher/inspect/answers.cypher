// The answers of a memory that passed the gate, the newest first.
// Returns: a row an answer: answer.
:param memory => "demo";
:param limit => 200;
MATCH (episode:Episode {memory: $memory})
WHERE episode.status IN ['validated', 'learned']
WITH episode ORDER BY episode.createdAt DESC, episode.id LIMIT $limit
RETURN episode.answer AS answer
