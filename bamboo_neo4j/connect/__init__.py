"""Connect: the memory for LangChain, Neo4j Browser and other programs."""
