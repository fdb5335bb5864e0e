// Write a mind map, without its questions; one with the same id is written anew.
// The id begins with the memory's name and names one asking, so storing it twice changes nothing.
// Returns: id.
:param map => {id: "demo:m", memory: "demo", question: "Who built the mill?", answer: "Orla Venn"};
:param createdAt => "2026-01-01T12:00:00+00:00";
MERGE (map:MindMap {id: $map.id})
SET map = $map
SET map.createdAt = datetime($createdAt)
RETURN map.id AS id
