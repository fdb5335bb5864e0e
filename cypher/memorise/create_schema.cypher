// The one node that says which schema this database has and which tag id is free next.
// Merged only after its own uniqueness constraint is listed: before that, two processes could make twins.
// A version is only raised, so that an older program running beside a newer one changes nothing.
// Returns: version.
:param version => 1;
MERGE (schema:BambooSchema {id: 'bamboo'})
ON CREATE SET schema.version = $version, schema.nextTagId = 1
ON MATCH SET schema.version = CASE WHEN schema.version < $version THEN $version ELSE schema.version END
RETURN schema.version AS version
