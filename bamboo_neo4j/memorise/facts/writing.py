"""Facts into the graph and out of it, under the memory's lock: exact after re-runs, kills and many loaders.

A transaction takes the lock, asks which of its facts are there, and states the others with the tags they
need. So a fact is stated once, whoever loads it how often, and loading resets nothing that was learned.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.memorise.facts.reading import StatedFact, UnknownFields, fact_id
from bamboo_neo4j.memorise.tag_ids import TagIds
from bamboo_neo4j.records import FactsLoaded, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction
    from bamboo_neo4j.normalise import Normaliser

BATCH = 1_000
"""Facts of one transaction."""


class FactWriter:
    """States and removes the facts of one memory; used by one thread at a time."""

    def __init__(self, client: GraphClient, *, memory: str, words: Normaliser) -> None:
        self._client = client
        self._memory = memory
        self._words = words
        self._ids = TagIds(client)

    def load(
        self, facts: Iterable[StatedFact | Failure], *, progress: Callable[[int], None] | None = None
    ) -> FactsLoaded:
        """State `facts`, BATCH a transaction; `progress` gets how many were read so far."""
        done, read, reading = FactsLoaded(), 0, iter(facts)
        while page := list(islice(reading, BATCH)):
            failed = [one for one in page if isinstance(one, Failure) and not isinstance(one, UnknownFields)]
            warned = [one for one in page if isinstance(one, UnknownFields)]
            done = replace(done, failed=(*done.failed, *failed), warnings=(*done.warnings, *warned))
            stated = [one for one in page if isinstance(one, StatedFact)]
            if stated:
                done = _sum(done, self._state(stated))
            read += len(page)
            if progress:
                progress(read)
        return done

    def remove(self, ids: Iterable[str]) -> int:
        """Remove facts by id, BATCH a transaction, with the tags that then hold nothing; return how many."""
        removed, given = 0, iter(dict.fromkeys(ids))
        while page := list(islice(given, BATCH)):
            removed += self._remove(page)
        return removed

    def remove_all(self) -> int:
        """Remove every fact of the memory, BATCH a transaction; return how many."""
        removed = 0
        while page := self._client.write(lambda transaction: self._attempt(transaction).remove_some()):
            removed += page
        return removed

    def _remove(self, page: Sequence[str]) -> int:
        return self._client.write(lambda transaction: self._attempt(transaction).remove(page))

    def _state(self, stated: Sequence[StatedFact]) -> FactsLoaded:
        # of two that are one fact the later counts, as if they had been loaded one after the other
        facts = {fact_id(self._memory, fact, words=self._words): fact for fact in stated}

        def work(transaction: Transaction, free: list[int]) -> tuple[FactsLoaded, set[int]]:
            attempt = self._attempt(transaction)
            return attempt.state(facts, self._words, free), attempt.used

        loaded = self._ids.write(2 * len(facts), work)
        return replace(loaded, unchanged=loaded.unchanged + len(stated) - len(facts))

    def _attempt(self, transaction: Transaction) -> _Attempt:
        lock(transaction, memory=self._memory, normaliser=self._words.fingerprint)
        return _Attempt(transaction, self._memory)


class _Attempt:
    """One attempt of one transaction, after the lock."""

    def __init__(self, transaction: Transaction, memory: str) -> None:
        self._transaction = transaction
        self._memory = memory
        self.used: set[int] = set()

    def state(self, facts: dict[str, StatedFact], words: Normaliser, free: Sequence[int]) -> FactsLoaded:
        known = set(self._run("known_facts", ids=sorted(facts))[0]["ids"])
        again = [_changeable(number, fact) for number, fact in facts.items() if number in known]
        updated = self._run("restate_facts", facts=again)[0]["facts"] if again else 0
        new = {number: fact for number, fact in facts.items() if number not in known}
        if new:
            self._state_new(new, words, free)
        return FactsLoaded(added=len(new), updated=updated, unchanged=len(known) - updated)

    def _state_new(self, new: dict[str, StatedFact], words: Normaliser, free: Sequence[int]) -> None:
        ends = {words.key(text): text for fact in new.values() for text in (fact.object, fact.subject)}
        tags = self._merge_tags(ends, words, free)
        rows = [
            {
                "id": number,
                "from": tags[words.key(fact.subject)],
                "to": tags[words.key(fact.object)],
                "subject": fact.subject,
                "predicate": fact.predicate,
                "object": fact.object,
                "confidence": fact.confidence,
                "source": fact.source,
                "validFrom": fact.valid_from,
                "validTo": fact.valid_to,
            }
            for number, fact in new.items()
        ]
        stated = self._run("state_facts", facts=rows)
        if not stated or stated[0]["facts"] != len(rows):
            raise DatabaseError(
                f"the graph of the memory {self._memory!r} is damaged: not every fact could be stated",
                hint="bamboo check says where; nothing of these facts was changed",
            )

    def _merge_tags(self, ends: dict[str, str], words: Normaliser, free: Sequence[int]) -> dict[str, int]:
        """Find or make the tags of `ends`, spellings by key; return their ids by key."""
        rows = [
            [key, number, words.name(ends[key]), ends[key]]
            for key, number in zip(sorted(ends), free, strict=False)
        ]
        tags: dict[str, int] = dict(self._run("merge_tags", tags=rows)[0]["tags"])
        self.used = set(tags.values()).intersection(free[: len(rows)])
        return tags

    def remove(self, ids: Sequence[str]) -> int:
        row = self._run("remove_facts", ids=list(ids))[0]
        if row["tags"]:
            self._run("delete_idle_tags", tags=sorted(row["tags"]))
        return int(row["facts"])

    def remove_some(self) -> int:
        ids = self._run("page_facts", limit=BATCH)[0]["ids"]
        return self.remove(ids) if ids else 0

    def _run(self, name: str, **parameters: object) -> list[Row]:
        return self._transaction.run(f"memorise/{name}", {"memory": self._memory, **parameters})


def _changeable(number: str, fact: StatedFact) -> dict[str, object]:
    return {"id": number, "confidence": fact.confidence, "validTo": fact.valid_to}


def _sum(one: FactsLoaded, other: FactsLoaded) -> FactsLoaded:
    return replace(
        one,
        added=one.added + other.added,
        updated=one.updated + other.updated,
        unchanged=one.unchanged + other.unchanged,
    )
