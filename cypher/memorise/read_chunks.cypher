// The stored state of some chunks, read under the memory's lock: what a change takes its difference to.
// Returns: a row a chunk: id, ordinal, terms, length, recipe and its tags as [key, id, about, kind, salience].
:param ids => ["demo:0"];
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
RETURN chunk.id AS id, chunk.ordinal AS ordinal, chunk.terms AS terms, chunk.length AS length, chunk.recipe AS recipe,
       COLLECT {
         MATCH (chunk)-[link:TAGGED]->(tag:Tag)
         RETURN [tag.key, tag.id, EXISTS { (chunk)-[:ABOUT]->(tag) }, link.kind, link.salience]
         ORDER BY tag.key
       } AS tags
