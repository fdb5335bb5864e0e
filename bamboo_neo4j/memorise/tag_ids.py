"""Tag ids: integers unique in the database, leased in blocks so that writers need not wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from bamboo_neo4j.graph.client import GraphClient

LEASE = 1000
"""Tag ids leased at once."""


class TagIds:
    """Tag ids leased in blocks; what a transaction did not use stays for the next one."""

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self._free: list[int] = []

    def at_least(self, count: int) -> list[int]:
        """Return at least `count` free ids, leasing more where needed."""
        if len(self._free) < count:
            wanted = {"count": max(LEASE, count)}
            row = self._client.write(lambda transaction: transaction.run("memorise/lease_tag_ids", wanted))
            first = row[0]["first"]
            self._free.extend(range(first, first + wanted["count"]))
        return self._free

    def spend(self, used: Collection[int]) -> None:
        """Forget ids that are in the graph now."""
        taken_ids = set(used)
        self._free = [number for number in self._free if number not in taken_ids]

    def drop(self) -> None:
        """Forget all: after a write whose outcome is unknown some of them may be in the graph."""
        self._free = []
