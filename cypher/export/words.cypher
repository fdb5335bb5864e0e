// The next page of words with their document frequency, in the order of the index, by code point.
// Returns: a row a word: name, df.
:param memory => "demo";
:param after => "";
:param limit => 5000;
MATCH (word:Word)
USING INDEX SEEK word:Word(memory, name)
WHERE word.memory = $memory AND word.name > $after
RETURN word.name AS name, word.df AS df ORDER BY word.memory, word.name LIMIT $limit
