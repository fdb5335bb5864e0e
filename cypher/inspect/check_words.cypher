// Invariant: Word.df is the number of chunks that hold the term, and every term of a chunk is a word.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (chunk:Chunk)
WHERE chunk.id STARTS WITH $memory + ':'
CALL (chunk) {
  UNWIND split(chunk.terms, ' ') AS term
  WITH DISTINCT term WHERE term <> '' AND term <> '|'
  RETURN term
}
WITH term, count(*) AS df
OPTIONAL MATCH (word:Word {memory: $memory, name: term})
WITH term, df, word WHERE word IS NULL OR word.df <> df
RETURN term AS where, 'df ' + toString(df) AS expected, coalesce('df ' + toString(word.df), 'no word') AS found
ORDER BY where
