"""The schema: numbered migrations, applied once, by whoever comes first."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError, OtherWordRules, UsageError
from bamboo_neo4j.graph.statements import migrations

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import GraphClient

VERSION = 1
PATIENCE = 30.0
"""Seconds to retry schema statements for: several processes may start at once."""
PAUSE = 0.3
"""Seconds between two looks at the schema."""


@dataclass(frozen=True, slots=True)
class State:
    """What the database says of itself and of one memory; None where there is none yet."""

    version: int | None
    language: str | None
    normaliser: str | None
    chunks: int
    writes: int
    wiping: bool


def read_state(client: GraphClient, memory: str) -> State:
    """Read the state of `memory`; raise DatabaseError when a newer program made the schema."""
    row = client.read("inspect/state", {"memory": memory})[0]
    state = State(
        version=row["version"],
        language=row["language"],
        normaliser=row["normaliser"],
        chunks=row["chunks"] or 0,
        writes=row["writes"] or 0,
        wiping=bool(row["wiping"]),
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

    `again` applies all of them, which brings back a constraint or an index that somebody dropped, and makes
    those anew that failed. Raises DatabaseError when the schema cannot be made, or the database holds
    another program's graph.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        version = read_state(client, "").version
        if version is not None and version >= VERSION and not again:
            return
        if version is None:
            _refuse_foreign(client)
        try:
            if again:
                _drop_failed(client)
            _migrate(client, 0 if again else version or 0)
            again = False
        except DatabaseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(PAUSE)


def open_memory(client: GraphClient, memory: str, *, language: str, normaliser: str) -> None:
    """Make `memory` if it is new; raise UsageError when it was made with another language or normaliser."""
    parameters = {"memory": memory, "language": language, "normaliser": normaliser}
    row = client.write(lambda transaction: transaction.run("memorise/create_memory", parameters))[0]
    check_language(memory, stored=row["language"], ours=language)
    check_normaliser(memory, stored=row["normaliser"], ours=normaliser)


def check_language(memory: str, *, stored: str | None, ours: str) -> None:
    """Refuse another language than the one a memory is kept in."""
    if stored is not None and stored != ours:
        raise UsageError(
            f"the memory {memory!r} is kept in {stored!r}, not in {ours!r}",
            hint="leave --language out, use another --memory, or bamboo reindex --language",
        )


def check_normaliser(memory: str, *, stored: str | None, ours: str) -> None:
    """Refuse a memory whose words were normalised by other rules: the same word would not be found."""
    if stored is not None and stored != ours:
        raise OtherWordRules(memory, stored=stored, ours=ours)


def object_name(statement: str) -> str:
    """Return the name of the constraint or index that a statement of a migration creates."""
    return statement.partition(" IF NOT EXISTS")[0].split()[-1]


def _migrate(client: GraphClient, version: int) -> None:
    for number, _name, statements in migrations():
        if number <= version:
            continue
        for statement in statements:
            client.run_text(statement)
        _await_online(client, {object_name(statement) for statement in statements})
        client.write(
            lambda transaction, number=number: transaction.run(  # type: ignore[misc]
                "memorise/create_schema", {"version": number}
            )
        )


def _await_online(client: GraphClient, wanted: set[str]) -> None:
    """Go on only when each index is online, its constraint with it; on a large graph that takes long."""
    while True:
        states = _states(client)
        bad = sorted(
            f"{name} {state}" for name, state in states.items() if state == "FAILED" and name in wanted
        )
        bad += sorted(f"{name} missing" for name in wanted - states.keys())
        if bad:
            raise DatabaseError(
                f"the database did not take the schema: {', '.join(bad)}",
                hint="bamboo check --repair makes it anew; the server's log says why it failed",
            )
        if all(states[name] == "ONLINE" for name in wanted):
            return
        time.sleep(PAUSE)


def _drop_failed(client: GraphClient) -> None:
    """Drop what failed, so that it is made anew: IF NOT EXISTS would leave it as it is."""
    states = _states(client)
    for _number, _name, statements in migrations():
        for statement in statements:
            name = object_name(statement)
            if states.get(name) == "FAILED":
                kind = "CONSTRAINT" if statement.split()[1] == "CONSTRAINT" else "INDEX"
                client.run_text(f"DROP {kind} {name} IF EXISTS")


def _states(client: GraphClient) -> dict[str, str]:
    """Return the state of each index; that of a constraint has the constraint's name."""
    return dict(client.read("inspect/schema")[0]["indexes"])


def _refuse_foreign(client: GraphClient) -> None:
    """Refuse another program's graph; what is found may be ours, if somebody made the schema a moment ago."""
    labels = [row["label"] for row in client.read("inspect/foreign")]
    if labels and read_state(client, "").version is None:
        raise DatabaseError(
            f"the database at {client.target.uri} holds another program's graph (nodes {', '.join(labels)})",
            hint="give bamboo a database or a server of its own: bamboo server start",
        )
