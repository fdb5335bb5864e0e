"""`check`: proves every invariant of a memory with Cypher and says where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph.schema import VERSION, object_name, read_state
from bamboo_neo4j.graph.statements import migrations
from bamboo_neo4j.records import Fault
from bamboo_neo4j.words import language_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.graph.client import GraphClient

PAGE = 500
"""Tags whose pairs are recounted in one statement."""
ATTEMPTS = 5
"""How often a check beside a writer begins again: its statements see different states of the memory."""
UNFINISHED = "unfinished"
"""The invariant that nothing was cut short; each fault says which command goes on with it."""

_WHOLE = {
    "counters": "inspect/check_counters",
    "chunk": "inspect/check_chunks",
    "document frequency": "inspect/check_words",
    "tag": "inspect/check_tags",
    "document": "inspect/check_documents",
    "fact": "inspect/check_facts",
    "question": "inspect/check_questions",
}
_PAGED = {"weight": "inspect/check_weights", "learned": "inspect/check_learned"}


def find_faults(client: GraphClient, memory: str) -> list[Fault]:
    """Return the faults of `memory`; none when every number is right.

    The statements are proof only together: when somebody wrote meanwhile, all of them are run again. Raises
    DatabaseError when somebody writes all the time.
    """
    for _ in range(ATTEMPTS):
        writes = read_state(client, memory).writes
        faults = list(_faults(client, memory))
        if read_state(client, memory).writes == writes:
            return faults
    raise DatabaseError(
        f"the memory {memory!r} is being written to, so its numbers cannot be proved now",
        hint="run it again when the writer is done",
    )


def pages(client: GraphClient, memory: str) -> Iterator[tuple[str, str]]:
    """Yield the tags of `memory` in pages: the key before the first one and the last one of each."""
    after = ""
    while True:
        page = client.read("inspect/check_page", {"memory": memory, "after": after, "limit": PAGE})
        until = page[0]["until"]
        if until is None:
            return
        yield after, until
        after = until


def miscounted_words(client: GraphClient, memory: str) -> tuple[int, list[tuple[str, int]]]:
    """Return the words whose count is wrong with the right one, and the memory's `writes` before counting."""
    writes = read_state(client, memory).writes
    rows = client.read("inspect/check_words", {"memory": memory})
    return writes, [(row["where"], row["df"]) for row in rows]


def _faults(client: GraphClient, memory: str) -> Iterator[Fault]:
    yield from _schema_faults(client)
    for row in client.read("inspect/check_unfinished", {"memory": memory}):
        yield Fault(UNFINISHED, row["where"], row["expected"], row["found"])
    if read_state(client, memory).wiping:
        return  # what is left of it is in no order
    for row in client.read("inspect/check_values", {"memory": memory}):
        yield Fault(row["kind"], row["where"], row["expected"], row["found"])
    yield from _language_faults(client, memory)
    for invariant, name in _WHOLE.items():
        for row in client.read(name, {"memory": memory}):
            yield Fault(invariant, row["where"], row["expected"], row["found"])
    yield from _paged_faults(client, memory)


def _language_faults(client: GraphClient, memory: str) -> Iterator[Fault]:
    language = read_state(client, memory).language
    if isinstance(language, str) and language not in language_codes():
        yield Fault("memory", memory, "language: a code (bamboo reindex --language CODE)", repr(language))


def _paged_faults(client: GraphClient, memory: str) -> Iterator[Fault]:
    for after, until in pages(client, memory):
        parameters = {"memory": memory, "after": after, "until": until}
        for invariant, name in _PAGED.items():
            for row in client.read(name, parameters):
                yield Fault(invariant, row["where"], row["expected"], row["found"])


def _schema_faults(client: GraphClient) -> Iterator[Fault]:
    row = client.read("inspect/schema")[0]
    states = dict(row["indexes"])
    for _number, _name, statements in migrations():
        for statement in statements:
            name = object_name(statement)
            state = states.get(name, "missing")
            if state != "ONLINE":
                yield Fault("schema", name, f"ONLINE (schema version {VERSION})", state)
