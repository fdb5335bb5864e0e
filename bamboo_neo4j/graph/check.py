"""`check`: proves every invariant of a memory with Cypher and says where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.graph.schema import VERSION
from bamboo_neo4j.graph.statements import migrations
from bamboo_neo4j.records import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.graph.client import GraphClient

PAGE = 500
"""Tags whose pairs are recounted in one statement."""

_WHOLE = {
    "counters": "inspect/check_counters",
    "chunk": "inspect/check_chunks",
    "document frequency": "inspect/check_words",
    "idle words": "inspect/check_word_count",
    "tag": "inspect/check_tags",
    "document": "inspect/check_documents",
    "import": "inspect/check_import",
}


def find_faults(client: GraphClient, memory: str) -> Iterator[Fault]:
    """Yield the faults of `memory`; nothing when every number is right."""
    yield from _schema_faults(client)
    for invariant, name in _WHOLE.items():
        for row in client.read(name, {"memory": memory}):
            yield Fault(invariant, row["where"], row["expected"], row["found"])
    yield from _weight_faults(client, memory)


def pages(client: GraphClient, memory: str) -> Iterator[tuple[int, int]]:
    """Yield the tags of `memory` in pages: the id before the first one and the last one of each."""
    after = 0
    while True:
        page = client.read("inspect/check_page", {"memory": memory, "after": after, "limit": PAGE})
        until = page[0]["until"]
        if until is None:
            return
        yield after, until
        after = until


def _weight_faults(client: GraphClient, memory: str) -> Iterator[Fault]:
    for after, until in pages(client, memory):
        parameters = {"memory": memory, "after": after, "until": until}
        for row in client.read("inspect/check_weights", parameters):
            yield Fault("weight", row["where"], row["expected"], row["found"])


def _schema_faults(client: GraphClient) -> Iterator[Fault]:
    row = client.read("inspect/schema")[0]
    states = dict(row["indexes"])
    for _number, _name, statements in migrations():
        for statement in statements:
            name = statement.partition(" IF NOT EXISTS")[0].split()[-1]
            state = states.get(name, "missing")
            if state != "ONLINE":
                yield Fault("schema", name, f"ONLINE (schema version {VERSION})", state)
