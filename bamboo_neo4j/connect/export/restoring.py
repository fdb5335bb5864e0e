"""Restoring what was learned: edges' strengths, facts, joint uses, episodes and mind maps.

Each batch is one transaction that takes the memory's lock first and adds only what is not there.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.connect.export.form import LEARNED, unpack
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.memorise.tag_ids import TagIds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bamboo_neo4j.connect.export.form import Record
    from bamboo_neo4j.connect.export.staging import Stage
    from bamboo_neo4j.graph.client import GraphClient, Transaction

BATCH = 1000
"""Edges, facts or joint uses of one transaction."""
FEW = 50
"""Episodes or mind maps of one transaction."""


class Clock(NamedTuple):
    """How the memory's clock stands beside the file's: `shift` cycles ahead of it, and at the cycle `now`."""

    shift: int
    now: int

    def moved(self, cycle: object) -> object:
        """Return a cycle of the file in the memory: as long ago as there, and never in the future.

        A use that no sweep of the file has seen counts as one of the present cycle.
        """
        return min(cycle + self.shift, self.now) if isinstance(cycle, int) else cycle


class Restorer:
    """Writes what a stage holds beside documents."""

    def __init__(
        self, client: GraphClient, memory: str, *, stage: Stage, clock: Clock, normaliser: str
    ) -> None:
        self._memory = memory
        self._stage = stage
        self._clock = clock
        self._normaliser = normaliser
        self._ids = TagIds(client)

    def run(self) -> dict[str, int]:
        """Write everything; return how many of each were new."""
        return {
            "edges": self._all("edge", BATCH, _Attempt.edges),
            "facts": self._all("fact", BATCH, _Attempt.facts),
            "coactivations": self._all("coactivation", BATCH, _Attempt.coactivations),
            "episodes": self._all("episode", FEW, _Attempt.episodes),
            "mindmaps": self._all("mindmap", FEW, _Attempt.mind_maps),
        }

    def _all(self, kind: str, size: int, restore: Callable[[_Attempt, list[Record]], int]) -> int:
        records = self._stage.records(kind)
        return sum(self._write(batch, restore) for batch in _batches(records, size))

    def _write(self, batch: list[Record], restore: Callable[[_Attempt, list[Record]], int]) -> int:
        def work(transaction: Transaction, free: list[int]) -> tuple[int, set[int]]:
            lock(transaction, memory=self._memory, normaliser=self._normaliser)
            attempt = _Attempt(transaction, self._memory, stage=self._stage, clock=self._clock, free=free)
            return restore(attempt, batch), attempt.used

        return self._ids.write(2 * len(batch), work)


class _Attempt:
    """One attempt of one transaction, after the lock."""

    def __init__(
        self, transaction: Transaction, memory: str, *, stage: Stage, clock: Clock, free: list[int]
    ) -> None:
        self._transaction = transaction
        self._memory = memory
        self._stage = stage
        self._clock = clock
        self._free = free
        self.used: set[int] = set()

    def edges(self, batch: list[Record]) -> int:
        """Set what was learned on edges; edges that grew from use are made with the tags they need."""
        emergent = LEARNED.index("emergent")
        grown = [record for record in batch if record["learned"][emergent] is not None]
        tags = self._merged({key for record in grown for key in record["tags"]})
        tags |= self._found({key for record in batch for key in record["tags"]} - tags.keys())
        made = sorted(_ends(record["tags"], tags) for record in grown)
        if made:
            self._transaction.run("import/merge_emergent", {"edges": made})
        rows = [
            [*_ends(record["tags"], tags), *self._moved(record["learned"], LEARNED.index("usedCycle"))]
            for record in batch
            if all(key in tags for key in record["tags"])
        ]
        return int(
            self._transaction.run(
                "import/restore_edges", {"memory": self._memory, "edges": sorted(rows, key=_pair)}
            )[0]["edges"]
        )

    def facts(self, batch: list[Record]) -> int:
        """State facts, with the tags they need."""
        ends = {key for record in batch for key in (record["subject"], record["object"])}
        tags = self._merged(ends)
        rows = []
        for record in batch:
            properties = dict(record["properties"])
            properties["usedCycle"] = self._clock.moved(properties.get("usedCycle"))
            subject, object_ = tags[record["subject"]], tags[record["object"]]
            row = {"id": self._id(record["id"]), "subject": subject, "object": object_, **unpack(properties)}
            rows.append(row)
        return int(self._transaction.run("import/create_facts", {"facts": rows})[0]["facts"])

    def coactivations(self, batch: list[Record]) -> int:
        """Count joint uses of tags that are there."""
        tags = self._found({key for record in batch for key in record["tags"]})
        rows = [
            [*_ends(record["tags"], tags), record["count"], *self._moved(record["pending"], 1)]
            for record in batch
            if all(key in tags for key in record["tags"])
        ]
        rows.sort(key=_pair)
        return int(self._transaction.run("import/create_coactivations", {"pairs": rows})[0]["pairs"])

    def episodes(self, batch: list[Record]) -> int:
        """Write episodes; the tags and facts they name get the ids they have here, a tag that is gone 0."""
        named = [
            key
            for record in batch
            for end in ("src", "dst")
            for key in record["properties"].get(end) or []
            if key is not None
        ]
        tags = self._found(set(named))
        rows = [self._episode(record, tags) for record in batch]
        parameters = {"memory": self._memory, "episodes": rows}
        return int(self._transaction.run("import/create_episodes", parameters)[0]["episodes"])

    def mind_maps(self, batch: list[Record]) -> int:
        """Write mind maps with their questions."""
        maps = [{"id": self._id(record["id"]), **unpack(record["properties"])} for record in batch]
        parameters = {"memory": self._memory, "maps": maps}
        made = set(self._transaction.run("import/create_mind_maps", parameters)[0]["ids"])
        new = [(self._id(record["id"]), each) for record in batch for each in record["questions"]]
        new = [(map_id, question) for map_id, question in new if map_id in made]
        questions = [
            {"id": self._id(each["id"]), "chunks": each["chunks"], **unpack(each["properties"])}
            for _map, each in new
        ]
        steps = [
            {
                "map": map_id,
                "parent": each["parent"] and self._id(each["parent"]),
                "id": self._id(each["id"]),
                "order": each["order"],
            }
            for map_id, each in new
        ]
        self._transaction.run("import/create_questions", {"questions": questions})
        self._transaction.run("import/link_questions", {"steps": steps})
        return len(made)

    def _episode(self, record: Record, tags: dict[str, int]) -> Record:
        properties = dict(record["properties"])
        for end in ("src", "dst"):
            if end in properties:
                properties[end] = [tags.get(key, 0) for key in properties[end]]
        if "facts" in properties:
            properties["facts"] = [self._id(fact) for fact in properties["facts"]]
        return {"id": self._id(record["id"]), "chunks": record["chunks"], **unpack(properties)}

    def _merged(self, keys: set[str]) -> dict[str, int]:
        rows = []
        for key, number in zip(sorted(keys), self._free, strict=False):
            name, display = self._stage.tag(key) or (key, key)
            rows.append([key, number, name, display])
        found = self._transaction.run("import/merge_tags", {"memory": self._memory, "tags": rows})[0]["tags"]
        self.used.update(set(dict(found).values()).intersection(self._free))
        return dict(found)

    def _found(self, keys: set[str]) -> dict[str, int]:
        parameters = {"memory": self._memory, "keys": sorted(keys)}
        return dict(self._transaction.run("import/find_tags", parameters)[0]["tags"])

    def _moved(self, learned: list[object], place: int) -> list[object]:
        """Keep how long ago an edge was used when the clock of the memory differs from the file's."""
        return [*learned[:place], self._clock.moved(learned[place]), *learned[place + 1 :]]

    def _id(self, name: str) -> str:
        return f"{self._memory}:{name}"


def _batches(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    while batch := list(islice(records, size)):
        yield batch


def _ends(keys: list[str], tags: dict[str, int]) -> list[int]:
    return sorted(tags[key] for key in keys)


def _pair(row: list[object]) -> list[object]:
    return row[:2]
