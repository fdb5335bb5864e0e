// The name of the database that a session without one works on.
// Returns: one row: database.
CALL db.info() YIELD name
RETURN name AS database
