// The next page of episodes in the order of their ids, which begin with the memory's name.
// The tag ids of their edges become keys (null where a tag is gone), and a chunk is named by its document, its text and
// the number of chunks before it in that document with the same text: what does not depend on this database.
// Returns: a row an episode: id, properties, src and dst (keys), chunks as [document, text, number].
:param after => "demo:";
:param until => "demo;";
:param limit => 100;
MATCH (episode:Episode)
WHERE episode.id > $after AND episode.id < $until
WITH episode ORDER BY episode.id LIMIT $limit
RETURN episode.id AS id, properties(episode) AS properties,
       COLLECT {
         UNWIND range(0, size(episode.src) - 1) AS i
         OPTIONAL MATCH (tag:Tag {id: episode.src[i]}) WHERE tag.memory = episode.memory
         RETURN tag.key ORDER BY i
       } AS src,
       COLLECT {
         UNWIND range(0, size(episode.dst) - 1) AS i
         OPTIONAL MATCH (tag:Tag {id: episode.dst[i]}) WHERE tag.memory = episode.memory
         RETURN tag.key ORDER BY i
       } AS dst,
       COLLECT {
         MATCH (episode)-[:USED]->(chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
         RETURN [document.id, chunk.text, COUNT {
           MATCH (document)<-[:FROM_DOCUMENT]-(twin:Chunk)
           WHERE twin.text = chunk.text
             AND (twin.ordinal < chunk.ordinal OR twin.ordinal = chunk.ordinal AND twin.id < chunk.id)
         }]
       } AS chunks
