// The next page of mind maps in the order of their ids, which begin with the memory's name.
// Returns: a row a mind map: id, properties.
:param after => "demo:";
:param until => "demo;";
:param limit => 100;
MATCH (map:MindMap)
WHERE map.id > $after AND map.id < $until
RETURN map.id AS id, properties(map) AS properties ORDER BY map.id LIMIT $limit
