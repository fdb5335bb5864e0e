// The chunks of a memory by id, in pages, with all that is needed to index them anew.
// Ids begin with the memory's name and a colon: the range that ends at the next character is one seek in the index.
// Returns: a row a chunk: id, ordinal, text, tokens, title of its document, tags as [key, display, kind, salience, about].
:param memory => "demo";
:param after => "demo:";
:param limit => 100;
MATCH (chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.id > $after AND chunk.id < $memory + ';'
WITH chunk, document ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, chunk.ordinal AS ordinal, chunk.text AS text, chunk.tokens AS tokens, document.title AS title,
       COLLECT {
         MATCH (chunk)-[link:TAGGED]->(tag:Tag)
         RETURN [tag.key, tag.display, link.kind, link.salience, EXISTS { (chunk)-[:ABOUT]->(tag) }]
         ORDER BY tag.key
       } AS tags
ORDER BY id
