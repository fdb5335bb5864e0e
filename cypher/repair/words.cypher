// Mend a page of words that inspect/check_words found wrong: set their df, delete those that no chunk holds.
// They were counted without the lock, which a large memory would hold too long: this takes it and asks whether anybody wrote since.
// Returns: mended, the number of words changed or deleted; no row where somebody wrote since: count again.
:param memory => "demo";
:param writes => 0;
:param words => [["island", 1], ["ghost", 0]];
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.writes = $writes + 1
CALL (memory) {
  UNWIND $words AS row
  MERGE (word:Word {memory: memory.name, name: row[0]})
  SET word.df = row[1]
  FOREACH (gone IN CASE WHEN row[1] = 0 THEN [word] ELSE [] END | DELETE gone)
  RETURN count(*) AS mended
}
RETURN mended
