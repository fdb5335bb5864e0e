// Lease a block of tag ids, in a transaction of its own; ids that are never used leave gaps, which do no harm.
// Returns: first, the first id of the block.
:param count => 1000;
MATCH (schema:BambooSchema {id: 'bamboo'})
SET schema.nextTagId = schema.nextTagId + $count
RETURN schema.nextTagId - $count AS first
