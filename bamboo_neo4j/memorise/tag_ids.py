"""Tag ids: integers unique in the database, leased in blocks so that writers need not wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bamboo_neo4j.graph.client import GraphClient, Transaction

T = TypeVar("T")

LEASE = 1000
"""Tag ids leased at once."""


class TagIds:
    """Tag ids leased in blocks; what a transaction did not use stays for the next one."""

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self._free: list[int] = []

    def write(self, count: int, work: Callable[[Transaction, list[int]], tuple[T, Collection[int]]]) -> T:
        """Run `work` in a write transaction with at least `count` free ids.

        `work` returns its result and the ids it used; it is run again as `GraphClient.write` says, each time
        with the same ids.
        """
        free = list(self._at_least(count))
        attempts = 0

        def attempt(transaction: Transaction) -> tuple[T, Collection[int]]:
            nonlocal attempts
            attempts += 1
            return work(transaction, free)

        try:
            result, used = self._client.write(attempt)
        except BaseException:
            self._drop()
            raise
        if attempts == 1:
            self._spend(used)
        else:  # an earlier attempt may have been committed after all, and used some of them
            self._drop()
        return result

    def _at_least(self, count: int) -> list[int]:
        """Return at least `count` free ids, leasing more where needed."""
        if len(self._free) < count:
            wanted = {"count": max(LEASE, count)}
            row = self._client.write(lambda transaction: transaction.run("memorise/lease_tag_ids", wanted))
            first = row[0]["first"]
            self._free.extend(range(first, first + wanted["count"]))
        return self._free

    def _spend(self, used: Collection[int]) -> None:
        """Forget ids that are in the graph now."""
        taken_ids = set(used)
        self._free = [number for number in self._free if number not in taken_ids]

    def _drop(self) -> None:
        """Forget all: after a write whose outcome is unknown some of them may be in the graph."""
        self._free = []
