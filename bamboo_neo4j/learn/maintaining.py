"""Maintaining a memory: strengthen, decay, emerge, prune, each batch by batch with a rest between two.

Each batch is one statement under the memory's lock that finds its own work, so several programs may maintain
at once, one may be killed at any point, and it may run often or seldom: the graph is the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.learn.plasticity import EVIDENCE, FADED

if TYPE_CHECKING:
    from collections.abc import Callable

    from bamboo_neo4j.graph.client import GraphClient, Row

    Progress = Callable[[str, int], None]

Rule = Literal["used", "all"]
"""What decays: what was used, no lower than evidence is worth; or every edge, down to 0.1 (Kairos)."""

LIMIT = 5_000
"""Edges of one batch at most."""
REST = 0.02
"""Least rest between two batches, in seconds: time for the writers that wait for the memory's lock."""
SHARE = 0.5
"""Rest as a share of the time that the batch before it took."""

_FLOORS: dict[Rule, float] = {"used": EVIDENCE, "all": FADED}


@dataclass(frozen=True, slots=True)
class Maintained:
    """What maintaining a memory did, and the cycle it is in now.

    `episodes` were learned from, on `strengthened` edges and facts; `decayed` were brought to the cycle,
    `grown` grew from joint use, `pruned` had faded; `skipped` have damaged numbers and were left alone.
    """

    memory: str
    episodes: int
    strengthened: int
    decayed: int
    grown: int
    pruned: int
    skipped: int
    cycle: int


def maintain(
    client: GraphClient,
    memory: str,
    *,
    rule: Rule | None = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Maintained:
    """Learn from waiting episodes, then decay, then grow edges and remove faded ones, until nothing is left.

    `rule` changes what decays from now on; None leaves the memory's own. At most `limit` edges a batch.
    `progress` is called after each batch with the name of the step and the edges so far. Raises NotFound
    where there is no such memory, DatabaseError while it is being forgotten or imported.
    """
    run = _Batches(client, memory, limit=limit, progress=progress or (lambda _step, _edges: None))
    if rule is not None:
        run.once("learn/set_rule", floor=_FLOORS[rule])
    strengthened = run.all("learn/strengthen")
    decayed = run.all("learn/decay")
    grown = run.all("learn/emerge")
    pruned = run.all("learn/prune")
    return Maintained(
        memory=memory,
        episodes=strengthened["episodes"],
        strengthened=strengthened["edges"],
        decayed=decayed["edges"],
        grown=grown["edges"],
        pruned=pruned["edges"],
        skipped=strengthened["skipped"] + decayed["skipped"],
        cycle=int(client.read("learn/read_clock", {"memory": memory})[0]["cycle"]),
    )


class _Batches:
    """Runs one statement after another on one memory."""

    def __init__(self, client: GraphClient, memory: str, *, limit: int, progress: Progress) -> None:
        self._client = client
        self._memory = memory
        self._limit = limit
        self._progress = progress

    def all(self, name: str) -> dict[str, int]:
        """Run the statement until nothing remains; return the sums of its columns."""
        sums: dict[str, int] = {}
        while True:
            started = time.monotonic()
            row = self.once(name, limit=self._limit)
            for column, value in row.items():
                sums[column] = sums.get(column, 0) + int(value)
            self._progress(name.rpartition("/")[2], sums["edges"])
            if not row["remaining"]:
                return sums
            time.sleep(max(REST, SHARE * (time.monotonic() - started)))

    def once(self, name: str, **parameters: object) -> Row:
        """Run the statement once, in a transaction of its own."""
        given = {"memory": self._memory, **parameters}
        rows = self._client.write(lambda transaction: transaction.run(name, given))
        if not rows:
            raise self._refused()
        return rows[0]

    def _refused(self) -> NotFound | DatabaseError:
        found = self._client.read("learn/read_clock", {"memory": self._memory})
        if not found:
            return NotFound(f"there is no memory {self._memory!r}", hint="bamboo ingest makes it")
        if found[0]["cycle"] is None:
            return DatabaseError(
                f"the clock of the memory {self._memory!r} is damaged", hint="bamboo check --repair mends it"
            )
        return DatabaseError(
            f"the memory {self._memory!r} is being forgotten or imported",
            hint="bamboo forget --all, or the same bamboo import, finishes that",
        )
