// Invariant: Word.df is the number of chunks that hold the term; every term of a chunk is a word, and no word is without a chunk.
// Terms and words are read once each and meet in one aggregation, so a word that no chunk holds is named too.
// Returns: a row a fault (where, expected, found), with df as it ought to be: 0 for a word that should not be there.
:param memory => "demo";
CALL () {
  MATCH (chunk:Chunk)
  WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';'
  CALL (chunk) {
    UNWIND split(CASE WHEN chunk.terms IS :: STRING NOT NULL THEN chunk.terms ELSE '' END, ' ') AS term
    WITH DISTINCT term WHERE term <> '' AND term <> '|'
    RETURN term
  }
  RETURN term AS name, 1 AS held, 0 AS words, null AS stored
  UNION ALL
  MATCH (word:Word)
  WHERE word.memory = $memory AND word.name IS NOT NULL
  RETURN word.name AS name, 0 AS held, 1 AS words, word.df AS stored
}
WITH name, sum(held) AS df, sum(words) AS words, max(stored) AS stored
WHERE df = 0 OR words = 0 OR NOT stored IS :: INTEGER NOT NULL OR stored <> df
RETURN toStringOrNull(name) AS where, CASE WHEN df = 0 THEN 'no word' ELSE 'df ' + toString(df) END AS expected,
       CASE WHEN words = 0 THEN 'no word' ELSE 'df ' + coalesce(toStringOrNull(stored), 'null') END AS found, df
ORDER BY where
