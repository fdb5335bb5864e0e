// Write mind maps that the memory does not have, without their questions; one with the same id is left as it is.
// Returns: ids of those that were made.
:param memory => "demo";
:param maps => [{id: "demo:m", properties: {}, times: {}, dates: {}}];
UNWIND $maps AS row
WITH row WHERE NOT EXISTS { MATCH (known:MindMap {id: row.id}) }
CREATE (map:MindMap {id: row.id, memory: $memory})
SET map += row.properties
FOREACH (name IN keys(row.times) | SET map[name] = datetime(row.times[name]))
FOREACH (name IN keys(row.dates) | SET map[name] = date(row.dates[name]))
RETURN collect(map.id) AS ids
