// Which procedures the server has, of those that schedules are made with and of our own.
// Returns: one row: procedures, their names.
:param ours => "custom.bamboo.";
SHOW PROCEDURES YIELD name
WHERE name STARTS WITH $ours
   OR name IN ['apoc.periodic.repeat', 'apoc.periodic.list', 'apoc.periodic.cancel', 'apoc.periodic.iterate', 'apoc.cypher.run',
               'apoc.custom.installProcedure', 'apoc.custom.dropProcedure']
RETURN collect(name) AS procedures
