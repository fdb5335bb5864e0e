// Register a statement as a procedure, custom.$signature, for a database; run it on the database `system`.
// Needs: APOC Extended. The same name registered again is replaced.
// Returns: signature.
:param signature => "bamboo.decay(memory = 'default' :: STRING, limit = 5000 :: INTEGER) :: (remaining :: INTEGER)";
:param statement => "RETURN 0 AS remaining";
:param database => "neo4j";
:param description => "One batch.";
CALL apoc.custom.installProcedure($signature, $statement, $database, 'WRITE', $description)
RETURN $signature AS signature
