// The ids of tags that a path names: by their key, or by their name where a tagger keys them in its own way.
// Of several tags with one name the one with the most chunks is meant, then the one that came first.
// Returns: tags as [name, id] of those that are there.
:param memory => "demo";
:param names => [["harbour school", "harbour school"]];
UNWIND $names AS row
OPTIONAL MATCH (tag:Tag {memory: $memory, key: row[1]})
CALL (row, tag) {
  WITH row, tag WHERE tag IS NOT NULL
  RETURN tag.id AS id
  UNION
  WITH row, tag
  WITH row, tag WHERE tag IS NULL
  MATCH (other:Tag {name: row[0]})
  WHERE other.memory = $memory
  RETURN other.id AS id ORDER BY COUNT { (other)<-[:TAGGED]-() } DESC, other.id LIMIT 1
}
RETURN collect([row[0], id]) AS tags
