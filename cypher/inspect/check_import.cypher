// Invariant: no import is half done; one that was cut short is finished by running it again.
// Returns: a row if one is (where, expected, found).
:param memory => "demo";
MATCH (memory:BambooMemory {name: $memory})
WHERE memory.importing IS NOT NULL
RETURN 'import' AS where, 'a finished import: run the same import again' AS expected,
       'unfinished, file with digest ' + memory.importing AS found
