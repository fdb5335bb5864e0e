// Write episodes that the memory does not have, and the chunks they used; one with the same id is left as it is.
// Returns: episodes, the number made.
:param memory => "demo";
:param episodes => [{id: "demo:e", properties: {question: "Who?"}, times: {}, dates: {}, chunks: ["demo:0"]}];
UNWIND $episodes AS row
WITH row WHERE NOT EXISTS { MATCH (known:Episode {id: row.id}) }
CREATE (episode:Episode {id: row.id, memory: $memory})
SET episode += row.properties
FOREACH (name IN keys(row.times) | SET episode[name] = datetime(row.times[name]))
FOREACH (name IN keys(row.dates) | SET episode[name] = date(row.dates[name]))
WITH episode, row
CALL (episode, row) {
  UNWIND row.chunks AS id
  MATCH (chunk:Chunk {id: id})
  MERGE (episode)-[:USED]->(chunk)
}
RETURN count(*) AS episodes
