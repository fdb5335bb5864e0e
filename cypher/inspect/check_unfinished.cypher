// Invariant: nothing that takes several transactions was cut short: no import, no indexing anew, no forgetting of the whole.
// While a memory is being forgotten its other numbers mean nothing.
// Returns: a row a piece of work (where, expected, found): expected says which command finishes it.
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
UNWIND [
  CASE WHEN memory.importing IS NOT NULL
    THEN ['import', 'a finished import: run the same import again', 'unfinished, file with digest ' + memory.importing] END,
  CASE WHEN memory.normaliser STARTS WITH 'reindexing'
    THEN ['reindex', 'a finished index: run bamboo reindex --language ' + memory.language, 'unfinished: nobody can read or write the memory'] END,
  CASE WHEN memory.wiping
    THEN ['forget --all', 'no such memory: run bamboo forget --all', 'unfinished: it is being forgotten'] END
] AS work
WITH work WHERE work IS NOT NULL
RETURN work[0] AS where, work[1] AS expected, work[2] AS found
