"""The managed local Neo4j: installed, started, reused and stopped without mvn, Docker or a Java on PATH."""

from bamboo_neo4j.graph.server.local import LocalServer
from bamboo_neo4j.graph.server.state import RunningServer

__all__ = ["LocalServer", "RunningServer"]
