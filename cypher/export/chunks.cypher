// Chunks of some documents with their tags, in order; a long document is read in stretches of ordinals.
// Returns: a row a chunk: place (of its document in $documents), ordinal, text, tokens, terms, length and tags as
// [key, kind, salience, about].
:param memory => "demo";
:param documents => ["file:///island.md"];
:param first => 0;
:param last => 199;
UNWIND range(0, size($documents) - 1) AS place
MATCH (:Document {memory: $memory, id: $documents[place]})<-[:FROM_DOCUMENT]-(chunk:Chunk)
WHERE chunk.ordinal >= $first AND chunk.ordinal <= $last
WITH place, chunk ORDER BY place, chunk.ordinal, chunk.text, chunk.id
RETURN place, chunk.ordinal AS ordinal, chunk.text AS text, chunk.tokens AS tokens, chunk.terms AS terms,
       chunk.length AS length,
       COLLECT {
         MATCH (chunk)-[link:TAGGED]->(tag:Tag)
         RETURN [tag.key, link.kind, link.salience, EXISTS { (chunk)-[:ABOUT]->(tag) }]
       } AS tags
