"""Models: the only room that imports the openai client."""
