// The constraints and indexes that are there, by name, with the state of each index.
// Returns: constraints (names) and indexes (name and state).
SHOW INDEXES YIELD name, state, owningConstraint
RETURN collect(owningConstraint) AS constraints, collect([name, state]) AS indexes
