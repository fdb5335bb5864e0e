"""The graph: the only room that imports the Neo4j driver."""
