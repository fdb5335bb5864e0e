// One mind map with everything that was stored of the asking.
// Returns: id, properties, createdAt (ISO 8601); no row where there is none.
:param map => "demo:m";
MATCH (map:MindMap {id: $map})
RETURN map.id AS id, properties(map) AS properties, toString(map.createdAt) AS createdAt
