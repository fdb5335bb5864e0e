"""What is said to APOC alone: what of it a server has, and what brings jobs back after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.graph.statements import load

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import GraphClient

CORE = {f"apoc.periodic.{name}" for name in ("repeat", "list", "cancel", "iterate")} | {"apoc.cypher.run"}
EXTENDED = {"apoc.custom.installProcedure", "apoc.custom.dropProcedure"}
START_JOBS = "learn/start_jobs"
OURS = "custom.bamboo."
"""How the names of the procedures begin that were registered for a database."""


class Apoc(NamedTuple):
    """What of APOC a server has, and which procedures of ours are registered there."""

    core: bool
    extended: bool
    registered: frozenset[str]


def read_apoc(client: GraphClient) -> Apoc:
    """Ask a server which procedures of APOC it has."""
    found = set(client.read("inspect/apoc", {"ours": OURS})[0]["procedures"])
    ours = frozenset(name.removeprefix(OURS) for name in found if name.startswith(OURS))
    return Apoc(found >= CORE, found >= EXTENDED, ours)


def initializer(database: str = "neo4j") -> str:
    """Return the line of apoc.conf that starts the jobs of `database` each time the server starts."""
    return f"apoc.initializer.{database}.1={' '.join(load(START_JOBS).text.split())}"


def apoc_conf() -> str:
    """Return apoc.conf for a server whose jobs and procedures are ours: a restart brings them back."""
    return f"{initializer()}\napoc.jobs.scheduled.num_threads=4\napoc.custom.procedures.refresh=1000\n"
