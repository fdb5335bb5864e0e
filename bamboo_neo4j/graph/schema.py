"""The schema: numbered migrations, applied once, by whoever comes first."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError, UsageError
from bamboo_neo4j.graph.statements import migrations

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import GraphClient

VERSION = 1
PATIENCE = 30.0
"""Seconds to retry schema statements for: several processes may start at once."""


@dataclass(frozen=True, slots=True)
class State:
    """What the database says of itself and of one memory; None where there is none yet."""

    version: int | None
    language: str | None
    normaliser: str | None
    chunks: int
    terms: int
    cycle: int
    swept: int
    writes: int
    wiping: bool


def read_state(client: GraphClient, memory: str) -> State:
    """Read the state of `memory`; raise DatabaseError when a newer program made the schema."""
    row = client.read("inspect/state", {"memory": memory})[0]
    counters = {name: row[name] or 0 for name in ("chunks", "terms", "cycle", "swept", "writes")}
    state = State(
        version=row["version"],
        language=row["language"],
        normaliser=row["normaliser"],
        wiping=bool(row["wiping"]),
        **counters,
    )
    if state.version is not None and state.version > VERSION:
        raise DatabaseError(
            f"the database at {client.target.uri} has schema version {state.version}, "
            f"this program knows {VERSION}",
            hint="upgrade bamboo-neo4j",
        )
    return state


def prepare(client: GraphClient, *, again: bool = False) -> None:
    """Apply the migrations that the database lacks; safe while other processes do the same.

    `again` applies all of them, which brings back a constraint or an index that somebody dropped.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        version = read_state(client, "").version
        if again and version is not None:
            version, again = 0, False
        if version is not None and version >= VERSION:
            return
        if version is None:
            _refuse_foreign(client)
        try:
            _migrate(client, version or 0)
        except DatabaseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)


def open_memory(client: GraphClient, memory: str, *, language: str, normaliser: str) -> None:
    """Make `memory` if it is new; raise UsageError when it was made with another language or normaliser."""
    parameters = {"memory": memory, "language": language, "normaliser": normaliser}
    row = client.write(lambda transaction: transaction.run("memorise/create_memory", parameters))[0]
    if row["language"] != language:
        raise UsageError(
            f"the memory {memory!r} is kept in the language {row['language']!r}, not {language!r}",
            hint="leave --language out, or use another --memory",
        )
    check_normaliser(memory, stored=row["normaliser"], ours=normaliser)


def check_normaliser(memory: str, *, stored: str | None, ours: str) -> None:
    """Refuse a memory whose words were normalised by other rules: the same word would not be found."""
    if stored is not None and stored != ours:
        raise DatabaseError(
            f"the memory {memory!r} has other word rules than this program ({stored}, ours are {ours})",
            hint="bamboo reindex makes it ours; no model is called",
        )


def _migrate(client: GraphClient, version: int) -> None:
    for number, _name, statements in migrations():
        if number <= version:
            continue
        for statement in statements:
            client.run_text(statement)
        _await_constraints(client, statements)
        client.write(
            lambda transaction, number=number: transaction.run(  # type: ignore[misc]
                "memorise/create_schema", {"version": number}
            )
        )


def _await_constraints(client: GraphClient, statements: tuple[str, ...]) -> None:
    """Go on only when each constraint is listed and each index is online."""
    client.run_text("CALL db.awaitIndexes(60)")
    row = client.read("inspect/schema")[0]
    present = set(row["constraints"]) | {name for name, _state in row["indexes"]}
    missing = [name for name in map(_object_name, statements) if name not in present]
    if missing:
        raise DatabaseError(
            f"the database did not take the schema: {', '.join(missing)} missing",
            hint="see bamboo check and the server's log",
        )


def _object_name(statement: str) -> str:
    return statement.partition(" IF NOT EXISTS")[0].split()[-1]


def _refuse_foreign(client: GraphClient) -> None:
    labels = [row["label"] for row in client.read("inspect/foreign")]
    if labels:
        raise DatabaseError(
            f"the database at {client.target.uri} holds another program's graph (nodes {', '.join(labels)})",
            hint="give bamboo a database or a server of its own: bamboo server start",
        )
