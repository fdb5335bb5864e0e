// The indexes that are there, by name, with their state; a constraint's index has its name.
// Returns: indexes (name and state of each).
SHOW INDEXES YIELD name, state
RETURN collect([name, state]) AS indexes
