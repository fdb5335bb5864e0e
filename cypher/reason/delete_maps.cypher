// Delete mind maps, whose questions have been deleted before; chunks and what was learned stay.
// Returns: maps, the number deleted.
:param maps => ["demo:m"];
UNWIND $maps AS id
MATCH (map:MindMap {id: id})
DETACH DELETE map
RETURN count(*) AS maps
