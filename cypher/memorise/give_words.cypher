// Count words that occur in more chunks.
// Returns: words, the number of words written.
:param memory => "demo";
:param words => [["bridg", 1]];
UNWIND $words AS row
MERGE (word:Word {memory: $memory, name: row[0]})
ON CREATE SET word.df = row[1]
ON MATCH SET word.df = word.df + row[1]
RETURN count(*) AS words
