// Count pairs of tags that occur in one more chunk: MERGE an edge a pair and increment its weight.
// The pairs come pre-summed and sorted by (src, dst), src being the smaller id; the unique index on (src, dst)
// makes each a seek, also between two hubs. The rank is set in a later clause, since one SET reads old values.
// What was learned stays; where the memory has learned anything, memorise/settle_pairs goes on with the same pairs.
// Allows: CartesianProduct because each side is one node, found by its unique id.
// Returns: pairs, the number of edges written (it must be the number of rows), and learns, whether edges may have strengths to settle.
:param memory => "demo";
:param pairs => [[1, 2, 1]];
MATCH (memory:BambooMemory {name: $memory})
WITH coalesce(memory.cycle, 0) > 0 OR coalesce(memory.floor = 0.1, false) AS learns
UNWIND $pairs AS row
MATCH (a:Tag {id: row[0]})
MATCH (b:Tag {id: row[1]})
MERGE (a)-[edge:CO_OCCURS {src: row[0], dst: row[1]}]->(b)
ON CREATE SET edge.weight = row[2]
ON MATCH SET edge.weight = edge.weight + row[2]
WITH edge, learns
SET edge.rank = toFloat(edge.weight) * CASE WHEN edge.strength IS :: INTEGER NOT NULL | FLOAT NOT NULL THEN edge.strength ELSE 0.5 END / 0.5
RETURN count(*) AS pairs, coalesce(head(collect(DISTINCT learns)), false) AS learns
