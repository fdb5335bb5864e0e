"""What a reasoning module sees of a memory: its facts and its recall, as of one time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.records import Fact, Recall, RecalledChunk


class Remembering(Protocol):
    """A memory as reasoning needs it; `Memory` is one, and so is a `View` of it."""

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word of a triple
        as_of: str | None = None,
    ) -> Iterator[Fact]:
        """Yield the stated facts with this subject, predicate and object, as they were at `as_of`."""

    def recall(self, question: str, *, limit: int | None = None, tokens: int | None = None) -> Recall:
        """Recall chunks and associations; raises NothingRecalled where there are none."""


class View:
    """A memory as of one time, which keeps what it gave: so conclusions can be traced to it.

    Modules share one view from several threads.
    """

    def __init__(self, memory: Remembering, *, as_of: str | None = None) -> None:
        self._memory = memory
        self._as_of = as_of
        self._lock = threading.Lock()
        self._facts: dict[str, Fact] = {}
        self._chunks: dict[str, RecalledChunk] = {}

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word of a triple
        as_of: str | None = None,
    ) -> Iterator[Fact]:
        """Yield facts as the memory does, by default as of the time of this view."""
        when = self._as_of if as_of is None else as_of
        found = self._memory.facts(subject=subject, predicate=predicate, object=object, as_of=when)
        # not a generator: one that is left before its end would not close what it reads from at once
        return map(self._kept, found)

    def recall(self, question: str, *, limit: int | None = None, tokens: int | None = None) -> Recall:
        """Recall as the memory does."""
        found = self._memory.recall(question, limit=limit, tokens=tokens)
        with self._lock:
            self._chunks.update((chunk.id, chunk) for chunk in found.chunks)
        return found

    def _kept(self, fact: Fact) -> Fact:
        with self._lock:
            self._facts[fact.id] = fact
        return fact

    def keep(self, facts: Iterable[Fact], chunks: Iterable[RecalledChunk]) -> None:
        """Keep what a module got from the memory by another way, as if this view had given it."""
        with self._lock:
            self._facts.update((fact.id, fact) for fact in facts)
            self._chunks.update((chunk.id, chunk) for chunk in chunks)

    def facts_of(self, ids: Sequence[str]) -> tuple[Fact, ...]:
        """Return the facts with these ids, in this order: those that were given, and others of the memory.

        A module may have its facts from elsewhere; what is no fact of the memory is left out.
        """
        missing = {each for each in ids if each not in self._facts and ":" in each}  # ids of facts hold one
        if missing:
            for fact in self.facts():
                missing.discard(fact.id)
                if not missing:
                    break
        return tuple(self._facts[each] for each in dict.fromkeys(ids) if each in self._facts)

    def chunks_of(self, ids: Sequence[str]) -> tuple[RecalledChunk, ...]:
        """Return the chunks with these ids among those that were given, in this order."""
        return tuple(self._chunks[each] for each in dict.fromkeys(ids) if each in self._chunks)
