"""`python -m bamboo_neo4j` is `bamboo`."""

from bamboo_neo4j.cli import main

main()
