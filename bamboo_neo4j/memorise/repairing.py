"""`check --repair`: derive every number again from the chunks, in bounded transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.check import pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bamboo_neo4j.graph.client import GraphClient

ROUNDS = 3
"""Rounds at most; the last one finds nothing more to mend."""


def repair(client: GraphClient, memory: str) -> int:
    """Mend `memory` from its chunks and return how many things were changed."""
    schema.prepare(client, again=True)
    mended = 0
    for _ in range(ROUNDS):
        changed = _round(client, memory)
        mended += changed
        if not changed:
            break
    return mended


def _round(client: GraphClient, memory: str) -> int:
    parameters = {"memory": memory}
    mended = _run(client, "repair/documents", parameters) + _run(client, "repair/chunks", parameters)
    for after, until in pages(client, memory):
        mended += _run(client, "repair/weights", parameters | {"after": after, "until": until})
    return mended + _run(client, "repair/words", parameters) + _run(client, "repair/tags", parameters)


def _run(client: GraphClient, name: str, parameters: Mapping[str, object]) -> int:
    rows = client.write(lambda transaction: transaction.run(name, parameters))
    return int(rows[0]["mended"]) if rows else 0
