// Find or make tags that facts and emergent edges need; a new one takes the leased id that came with it.
// Returns: tags as [key, id].
:param memory => "demo";
:param tags => [["ada kern", 1, "ada kern", "Ada Kern"]];
UNWIND $tags AS row
MERGE (tag:Tag {memory: $memory, key: row[0]})
ON CREATE SET tag.id = row[1], tag.name = row[2], tag.display = row[3]
RETURN collect([tag.key, tag.id]) AS tags
