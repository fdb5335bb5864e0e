// The chunks of a memory by id, in pages, with all that is needed to index them anew.
// Returns: a row a chunk: id, ordinal, text, tokens, title of its document, tags as [key, display, kind, salience, about].
:param memory => "demo";
:param after => "";
:param limit => 100;
MATCH (chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
WHERE chunk.id STARTS WITH $memory + ':' AND chunk.id > $after
WITH chunk, document ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, chunk.ordinal AS ordinal, chunk.text AS text, chunk.tokens AS tokens, document.title AS title,
       COLLECT {
         MATCH (chunk)-[link:TAGGED]->(tag:Tag)
         RETURN [tag.key, tag.display, link.kind, link.salience, EXISTS { (chunk)-[:ABOUT]->(tag) }]
         ORDER BY tag.key
       } AS tags
ORDER BY id
