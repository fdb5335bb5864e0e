// Take back document frequency from words; a word that no chunk holds any more is deleted.
// Returns: words, the number of words found (it must be the number of rows).
:param memory => "demo";
:param words => [["bridg", 1]];
UNWIND $words AS row
MATCH (word:Word {memory: $memory, name: row[0]})
SET word.df = word.df - row[1]
FOREACH (gone IN CASE WHEN word.df <= 0 THEN [word] ELSE [] END | DELETE gone)
RETURN count(*) AS words
