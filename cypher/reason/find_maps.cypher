// The mind maps whose id begins like this, two at most: one is the one that was meant.
// Returns: ids.
:param beginning => "demo:m";
MATCH (map:MindMap) WHERE map.id STARTS WITH $beginning
WITH map ORDER BY map.id LIMIT 2
RETURN collect(map.id) AS ids
