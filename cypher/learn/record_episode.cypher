// Record an episode and the chunks it used; one that is there already is left as it is, so a retry records nothing twice.
// Of pairs used together ($together) only those are kept that no edge joins, or one that grew from use: an edge with
// evidence learns by being on a path, not beside it. The path's edges ($edges) come first: Episode.used is their number.
// Nothing else changes: learn/strengthen does that, in the order of createdAt.
// Returns: id, createdAt, and src, dst and shares as they are kept.
:param memory => "demo";
:param id => "demo:e";
:param properties => {question: "Who taught the architect?", answer: "Bram Oster", status: "validated", gate: "quality", trust: 0.9};
:param edges => [[1, 2, 1.0]];
:param together => [[1, 3, 1.0]];
:param chunks => ["demo:0"];
CALL () {
  UNWIND range(0, size($together) - 1) AS i
  WITH i, $together[i] AS row
  WHERE NOT EXISTS {
    MATCH ()-[edge:CO_OCCURS]->()
    WHERE edge.src = row[0] AND edge.dst = row[1] AND edge.emergent IS NULL
  }
  WITH row ORDER BY i
  RETURN collect(row) AS joint
}
MERGE (episode:Episode {id: $id})
ON CREATE SET episode += $properties
ON CREATE SET episode.memory = $memory, episode.createdAt = datetime.realtime(), episode.used = size($edges),
  episode.src = [row IN $edges + joint | row[0]],
  episode.dst = [row IN $edges + joint | row[1]],
  episode.shares = [row IN $edges + joint | row[2]]
WITH episode
CALL (episode) {
  UNWIND $chunks AS chunkId
  MATCH (chunk:Chunk {id: chunkId})
  WHERE chunk.memory = $memory
  MERGE (episode)-[:USED]->(chunk)
}
RETURN episode.id AS id, toString(episode.createdAt) AS createdAt, episode.src AS src, episode.dst AS dst, episode.shares AS shares
