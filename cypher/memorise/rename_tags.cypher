// Give tags new keys and names where no tag has the new key; edges, facts and what was learned stay with the tag.
// Returns: tags, the number renamed.
:param memory => "demo";
:param tags => [[1, "ada kern", "ada kern"]];
UNWIND $tags AS row
MATCH (tag:Tag {id: row[0]})
WHERE NOT EXISTS { (:Tag {memory: $memory, key: row[1]}) }
SET tag.key = row[1], tag.name = row[2]
RETURN count(*) AS tags
