// Invariant: no word without a chunk: as many Word nodes as different terms in the chunks.
// Returns: a row if they differ (where, expected, found).
:param memory => "demo";
CALL () {
  MATCH (chunk:Chunk) WHERE chunk.id STARTS WITH $memory + ':'
  UNWIND split(chunk.terms, ' ') AS term
  WITH DISTINCT term WHERE term <> '' AND term <> '|'
  RETURN count(*) AS terms
}
CALL (terms) { MATCH (word:Word) WHERE word.memory = $memory AND word.name IS NOT NULL RETURN count(*) AS words }
WITH terms, words WHERE terms <> words
RETURN 'words of the memory' AS where, toString(terms) AS expected, toString(words) AS found
