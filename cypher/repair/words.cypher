// Mend words: each df becomes the number of chunks that hold the term; a word that none holds goes.
// Words that no chunk holds are found by setting all counts first, then deleting those that were not set.
// Takes the memory's lock first.
// Returns: mended, the number of words changed or deleted.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory
CALL (memory) {
  MATCH (word:Word) WHERE word.memory = memory.name AND word.name IS NOT NULL
  SET word.was = word.df, word.df = 0
  RETURN count(*) AS before
}
CALL (memory) {
  MATCH (chunk:Chunk)
  WHERE chunk.id STARTS WITH memory.name + ':'
  CALL (chunk) {
    UNWIND split(chunk.terms, ' ') AS term
    WITH DISTINCT term WHERE term <> '' AND term <> '|'
    RETURN term
  }
  WITH memory, term, count(*) AS df
  MERGE (word:Word {memory: memory.name, name: term})
  SET word.df = df
  RETURN count(*) AS terms
}
CALL (memory) {
  MATCH (word:Word) WHERE word.memory = memory.name AND word.name IS NOT NULL
  WITH word, CASE WHEN word.was IS NULL OR word.was <> word.df THEN 1 ELSE 0 END AS changed
  SET word.was = null
  FOREACH (gone IN CASE WHEN word.df = 0 THEN [word] ELSE [] END | DELETE gone)
  RETURN sum(changed) AS changed
}
RETURN changed AS mended
