// Look up a question: its tags and words, and the chunks it may be answered from. Round trip 1 of 3.
// Every lookup is a seek by unique key; degrees are read, not counted. The full-text index [terms, memory] is
// asked for the rarest words and all that are in few chunks; Lucene parses the text again, so each clause comes
// quoted and the memory's name stands in quotes, with boost 0: it filters and does not score.
// A tag that more than $resolving chunks are about resolves none of them, so those chunks are not fetched.
// The first of a chunk's primary tags is the one with the most words, then by key.
// Returns: n and terms, the number of the memory's chunks and of their terms; its cycle, swept and normaliser;
// tags as [id, key, name, df, primary df, ids of the chunks about it], rarest first, and their number known before
// the cut; words as [name, df], rarest first; found, the ids from the index; chunks as [id, terms, length, tokens,
// ids of primary tags, first one first].
:param memory => 'demo';
:param words => {taught: '"taught"', architect: '"architect"^0.5'};
:param grams => ['harbour school', 'architect'];
:param limit => 100;
:param rarest => 6;
:param common => 0.02;
:param most => 64;
:param resolving => 50;
MATCH (memory:BambooMemory {name: $memory})
CALL (memory) {
  UNWIND $grams AS gram
  MATCH (tag:Tag {memory: $memory, key: gram})
  WITH tag ORDER BY COUNT { (tag)<-[:TAGGED]-() }, tag.key
  RETURN collect(tag) AS known
}
CALL (known) {
  UNWIND known[..2 * $most] AS tag
  WITH tag, COUNT { (tag)<-[:ABOUT]-() } AS abouts
  WITH tag, abouts,
    CASE WHEN abouts <= $resolving THEN COLLECT { MATCH (tag)<-[:ABOUT]-(chunk:Chunk) RETURN chunk } ELSE [] END AS about
  RETURN collect([tag.id, tag.key, tag.name, COUNT { (tag)<-[:TAGGED]-() }, abouts, [chunk IN about | chunk.id]]) AS tags,
    collect(about) AS lists
}
CALL (memory) {
  UNWIND keys($words) AS name
  MATCH (word:Word {memory: $memory, name: name})
  WITH word.name AS name, word.df AS df ORDER BY df, name
  RETURN collect([name, df]) AS words
}
WITH memory, known, tags, lists, words, '+memory:"' + $memory + '"^0 +terms:(' + reduce(clauses = '',
  i IN range(0, CASE WHEN size(words) < $most THEN size(words) ELSE $most END - 1) |
  CASE WHEN i < $rarest OR words[i][1] <= $common * memory.chunks
    THEN clauses + ' ' + $words[words[i][0]] ELSE clauses END) + ')' AS search
CALL (search, words) {
  WITH search, words WHERE size(words) > 0
  CALL db.index.fulltext.queryNodes('chunk_terms', search, {limit: $limit}) YIELD node
  RETURN collect(node) AS found
}
CALL (lists, found) {
  UNWIND [found] + lists AS nodes
  UNWIND nodes AS chunk
  WITH DISTINCT chunk
  RETURN collect([chunk.id, chunk.terms, chunk.length, chunk.tokens, COLLECT {
    MATCH (chunk)-[:ABOUT]->(tag:Tag) RETURN tag.id ORDER BY size(split(tag.key, ' ')) DESC, tag.key
  }]) AS chunks
}
RETURN memory.chunks AS n, memory.terms AS terms, memory.cycle AS cycle, memory.swept AS swept,
  memory.normaliser AS normaliser, size(known) AS known, tags, words, [chunk IN found | chunk.id] AS found, chunks
