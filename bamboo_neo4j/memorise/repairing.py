"""`check --repair`: derive every number again from the chunks, in transactions that write a page each.

A page is a bounded number of chunks, documents, tags or words; a document or a tag is mended whole. The
counters are one number each, counted in one statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.check import miscounted_words, pages
from bamboo_neo4j.memorise.mending import mend_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bamboo_neo4j.graph.client import GraphClient, Row

ROUNDS = 3
"""Rounds at most; the last one finds nothing more to mend."""
CHUNKS, DOCUMENTS, WORDS = 1_000, 100, 1_000
"""Chunks, documents and words of one transaction."""
ATTEMPTS = 5
"""How often words are counted again because somebody wrote meanwhile."""


def repair(client: GraphClient, memory: str) -> int:
    """Mend `memory` from its chunks and return how many things were changed.

    Raises DatabaseError when somebody else writes to it all the time.
    """
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
    mended = mend_values(client, memory)
    mended += _paged(client, "repair/chunks", parameters | {"after": f"{memory}:", "limit": CHUNKS})
    mended += _paged(client, "repair/documents", parameters | {"after": "", "limit": DOCUMENTS})
    for name in ("repair/weights", "repair/facts", "repair/learned", "repair/tags"):
        for after, until in pages(client, memory):
            mended += _mended(_run(client, name, parameters | {"after": after, "until": until}))
    mended += _mended(_run(client, "repair/questions", parameters | {"limit": CHUNKS}))
    return mended + _mend_words(client, memory) + _mended(_run(client, "repair/counters", parameters))


def _paged(client: GraphClient, name: str, parameters: Mapping[str, object]) -> int:
    """Run a statement that says where its page ended until it says that there was none."""
    mended, page = 0, dict(parameters)
    while rows := _run(client, name, page):
        mended += _mended(rows)
        if rows[0]["until"] is None:
            break
        page["after"] = rows[0]["until"]
    return mended


def _mend_words(client: GraphClient, memory: str) -> int:
    """Set the counts that are wrong: counted without the lock, written only if nobody wrote since."""
    mended = 0
    for _ in range(ATTEMPTS):
        writes, words = miscounted_words(client, memory)
        for done, start in enumerate(range(0, len(words), WORDS)):
            page = [list(word) for word in words[start : start + WORDS]]
            parameters = {"memory": memory, "writes": writes + done, "words": page}
            rows = _run(client, "repair/words", parameters)
            if not rows:
                break
            mended += _mended(rows)
        else:
            return mended
    raise DatabaseError(
        f"the memory {memory!r} is being written to, so its words cannot be counted now",
        hint="run it again when the writer is done",
    )


def _mended(rows: list[Row]) -> int:
    return int(rows[0]["mended"]) if rows else 0


def _run(client: GraphClient, name: str, parameters: Mapping[str, object]) -> list[Row]:
    return client.write(lambda transaction: transaction.run(name, parameters))
