// Take a registered procedure back; run it on the database `system`.
// Needs: APOC Extended.
// Returns: name.
:param name => "bamboo.decay";
:param database => "neo4j";
CALL apoc.custom.dropProcedure($name, $database)
RETURN $name AS name
