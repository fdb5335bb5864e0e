"""The memory's lock: the first statement of every transaction that changes a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph.schema import check_normaliser

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import Transaction


def lock(transaction: Transaction, *, memory: str, normaliser: str | None) -> None:
    """Take the memory's lock and check that its words are still ours; the first statement of a write."""
    rows = transaction.run("memorise/lock_memory", {"memory": memory})
    if len(rows) != 1 or rows[0]["name"] is None:  # none, or forgotten while we waited for its lock
        raise NotFound(f"there is no memory {memory!r}", hint="bamboo ingest makes it")
    if rows[0]["wiping"]:
        raise DatabaseError(
            f"the memory {memory!r} is being forgotten", hint="bamboo forget --all finishes that"
        )
    if normaliser is not None:
        check_normaliser(memory, stored=rows[0]["normaliser"], ours=normaliser)
