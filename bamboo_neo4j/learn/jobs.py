"""Maintenance inside Neo4j: the statements of cypher/learn as jobs of APOC, and as procedures to call.

What is wanted stands in the graph as BambooJob nodes; what runs stands in APOC's scheduler, which forgets it
at each restart of the server and drops a job at its first error. So a job runs its batch through
`learn/run_job`, which lets no error out, and the nodes say what to start again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph.apoc import OURS, START_JOBS, initializer, read_apoc
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.learn.maintaining import LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bamboo_neo4j.graph.apoc import Apoc
    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction

PROCEDURES = {
    "strengthen": "due_strengthen",
    "emerge": "due_emerge",
    "decay": "due_decay",
    "prune": "due_prune",
}
"""The statements of cypher/learn that maintain a memory, each with the one that says if it has work."""
SECONDS = 5
"""How long a job rests between two batches: time for the writers that wait for the memory's lock."""
PREFIX = "bamboo/"
"""How the names of our jobs begin; the memory and the procedure follow."""
SYSTEM = "system"
"""The database on which procedures are registered."""

JobState = Literal["running", "failing", "outdated", "dead", "stray"]


@dataclass(frozen=True, slots=True)
class Job:
    """One procedure of maintenance that Neo4j runs by itself, as it is wanted and as it is.

    `state`: running; failing (its last run had the error `error`; it goes on); outdated (another version of
    the program installed it); dead (wanted, but it does not run); stray (it runs, but nobody wants it).
    `registered` says whether `custom.bamboo.` and its procedure can be called by hand.
    """

    name: str
    procedure: str
    state: JobState
    seconds: int
    registered: bool = False
    ran_at: str | None = None
    failures: int = 0
    error: str | None = None


def install(client: GraphClient, memory: str, *, seconds: int = SECONDS) -> None:
    """Write down the jobs of `memory` and start them; where APOC Extended is, register the procedures too.

    Installing again changes what differs and brings back what is dead. Raises NotFound when there is no such
    memory, DatabaseError where the server has no APOC.
    """
    apoc = _require_apoc(client)
    jobs = [_wanted(memory, procedure) for procedure in PROCEDURES]
    parameters = {"jobs": jobs, "seconds": seconds, "limit": LIMIT, "guard": load("learn/run_job").text}

    def store(transaction: Transaction) -> None:
        lock(transaction, memory=memory, normaliser=None)
        transaction.run("learn/store_jobs", {"memory": memory, **parameters})

    client.write(store)
    client.write(lambda transaction: transaction.run(START_JOBS, {}))
    if apoc.extended:
        _register(client)


def read_jobs(client: GraphClient, memory: str) -> tuple[Job, ...]:
    """Compare the jobs that are wanted for `memory` with those that run; in the order of their names."""
    apoc = read_apoc(client)
    prefix = f"{PREFIX}{memory}/"
    rows = client.read("learn/running_jobs", {"prefix": prefix}) if apoc.core else []
    alive = {row["job"] for row in rows if row["alive"]}
    wanted = client.read("inspect/jobs", {"memory": memory})
    jobs = [_job(row, alive=row["job"] in alive, apoc=apoc) for row in wanted]
    strays = alive - {row["job"] for row in wanted}
    jobs += [Job(name, name.removeprefix(prefix), "stray", seconds=0) for name in strays]
    return tuple(sorted(jobs, key=lambda job: job.name))


def remove(client: GraphClient, memory: str) -> tuple[str, ...]:
    """Stop the jobs of `memory` and take them out of the database; return their names.

    The registered procedures go with the last memory's jobs. Raises NotFound when there is nothing to remove.
    """
    jobs, apoc = read_jobs(client, memory), read_apoc(client)
    if not jobs:
        raise NotFound(
            f"nothing is scheduled for the memory {memory!r}", hint="bamboo schedule install does that"
        )
    names = tuple(job.name for job in jobs)
    if apoc.core:
        client.write(lambda transaction: transaction.run("learn/cancel_jobs", {"jobs": list(names)}))
    if any(job.state != "stray" for job in jobs):
        others = client.write(lambda transaction: _delete(transaction, memory))
        if apoc.extended and not others:
            _unregister(client, apoc)
    return names


def line_for_conf(client: GraphClient) -> str:
    """Return the line of apoc.conf that brings the jobs back when the server starts again."""
    return initializer(_database(client))


def _wanted(memory: str, procedure: str) -> Row:
    return {
        "id": f"{PREFIX}{memory}/{procedure}",
        "procedure": procedure,
        "statement": load(f"learn/{procedure}").text,
        "due": load(f"learn/{PROCEDURES[procedure]}").text,
    }


def _job(row: Mapping[str, object], *, alive: bool, apoc: Apoc) -> Job:
    return Job(
        name=str(row["job"]),
        procedure=str(row["procedure"]),
        state=_state(row, alive=alive),
        seconds=int(str(row["seconds"])),
        registered=str(row["procedure"]) in apoc.registered,
        ran_at=str(row["ranAt"]) if row["ranAt"] else None,
        failures=int(str(row["failures"])),
        error=str(row["error"]).splitlines()[0] if row["error"] else None,
    )


def _state(row: Mapping[str, object], *, alive: bool) -> JobState:
    if not alive:
        return "dead"
    procedure = str(row["procedure"])
    ours = procedure in PROCEDURES and row["guard"] == load("learn/run_job").text
    if not ours or any(row[name] != text for name, text in _wanted("", procedure).items() if name in row):
        return "outdated"
    return "failing" if row["error"] else "running"


def _delete(transaction: Transaction, memory: str) -> bool:
    """Delete what is wanted for `memory`; return whether another memory still has jobs."""
    lock(transaction, memory=memory, normaliser=None)
    return bool(transaction.run("learn/delete_jobs", {"memory": memory})[0]["others"])


def _require_apoc(client: GraphClient) -> Apoc:
    apoc = read_apoc(client)
    if not apoc.core:
        raise DatabaseError(
            f"Neo4j at {client.target.uri} has no APOC, which runs jobs inside it",
            hint="bamboo server stop, then bamboo server start --apoc core; "
            "or run them from outside: bamboo schedule run, or bamboo maintain from cron",
        )
    return apoc


def _database(client: GraphClient) -> str:
    return str(client.read("inspect/database")[0]["database"])


def _register(client: GraphClient) -> None:
    """Register the statements as `custom.bamboo.` procedures: callable a second later, kept over restarts."""
    database, system = _database(client), client.on(SYSTEM)
    for procedure in PROCEDURES:
        statement = load(f"learn/{procedure}")
        parameters = {
            "signature": _signature(procedure),
            "statement": statement.text,
            "database": database,
            "description": statement.summary,
        }
        system.write(
            lambda transaction, given=parameters: transaction.run(  # type: ignore[misc]
                "learn/install_procedure", given
            )
        )


def _unregister(client: GraphClient, apoc: Apoc) -> None:
    database, system = _database(client), client.on(SYSTEM)
    for procedure in sorted(apoc.registered):
        parameters = {"name": f"{OURS.removeprefix('custom.')}{procedure}", "database": database}
        system.write(
            lambda transaction, given=parameters: transaction.run(  # type: ignore[misc]
                "learn/drop_procedure", given
            )
        )


def _signature(procedure: str) -> str:
    """Return the signature of a procedure, from the parameters and columns of its statement."""
    name = f"{OURS.removeprefix('custom.')}{procedure}"
    return f"{name}(memory = 'default' :: STRING, limit = {LIMIT} :: INTEGER) :: (remaining :: INTEGER)"
