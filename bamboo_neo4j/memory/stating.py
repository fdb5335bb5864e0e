"""Stating: facts into the memory, out of it, and what is stated."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.memorise.documents import Limits
from bamboo_neo4j.memorise.facts.inputs import read_all
from bamboo_neo4j.memorise.facts.times import as_of as moment_of
from bamboo_neo4j.memorise.facts.writing import FactWriter
from bamboo_neo4j.memory.opened import Opened
from bamboo_neo4j.normalise import fold
from bamboo_neo4j.records import Fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date, datetime

    from bamboo_neo4j.graph.client import Row
    from bamboo_neo4j.memorise.facts.inputs import Given
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import FactsLoaded


class Stating(Opened):
    """What changes and reads the facts of a memory."""

    def load_facts(
        self, given: Given | Iterable[Given], *, progress: Callable[[int], None] | None = None
    ) -> FactsLoaded:
        """Load facts from CSV or JSON lines (paths, globs, `-`), or rows of a program (mappings).

        A fact has `subject`, `predicate` and `object`, and may have `confidence` (0 to 1, 1 if not given),
        `source`, `validFrom` and `validTo`. Loading again changes nothing where nothing changed, and resets
        nothing that was learned. A bad line stops no other: see `failed` of the result. `progress` gets the
        number of lines read so far.
        """
        started = time.perf_counter()
        every = [given] if isinstance(given, (str, Path)) or hasattr(given, "keys") else given
        words = self.normaliser
        self._make(words)
        try:
            facts = read_all(every, words=words, limits=Limits.of(self._settings))  # type: ignore[arg-type]
            loaded = FactWriter(self._client, memory=self.name, words=words).load(facts, progress=progress)
        finally:
            self._refresh()
        return replace(loaded, milliseconds=(time.perf_counter() - started) * 1000)

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word of the graph
        as_of: str | date | None = None,
    ) -> Iterator[Fact]:
        """Yield facts by subject, predicate, object and time; strength is that of the memory's present cycle.

        `subject` and `object` are matched as tags are (case, accents and word endings do not matter),
        `predicate` by its words. `as_of` is a day or a time (ISO 8601): only what was valid then; without it,
        all versions. Raises UsageError for a time that is none.
        """
        words = self.normaliser
        filters: dict[str, Any] = {"predicates": None, "asOf": moment(as_of)}
        if predicate is not None:
            filters["predicates"] = self._spellings(predicate, words)
        statement = "inspect/facts"
        if subject is not None:
            statement = "inspect/facts_of_subject"
            filters["subject"] = words.key(subject)
            filters["object"] = None if object is None else words.key(object)
        elif object is not None:
            statement = "inspect/facts_of_object"
            filters["object"] = words.key(object)
        return map(_fact, self._stream(statement, **filters))

    def predicates(self) -> Iterator[Row]:
        """Yield the predicates of the memory's facts as they are spelled, the most used first."""
        return self._stream("inspect/predicates")

    def remove_facts(self, *ids: str) -> int:
        """Remove facts by id, with the tags that nothing else holds; return how many went.

        Raises NotFound, before anything is changed, when one of them is not in the memory.
        """
        # a shell may give bytes that are no text; no fact has such an id
        wanted = list(dict.fromkeys(each.encode("utf-8", "replace").decode() for each in ids))
        rows = self._client.read("inspect/find_facts", {"memory": self.name, "ids": wanted})
        known = set(rows[0]["ids"])
        if missing := next((each for each in wanted if each not in known), None):
            raise NotFound(
                f"there is no fact {missing[:200]!r} in the memory {self.name!r}",
                hint="bamboo facts list shows ids",
            )
        return self._fact_writer().remove(wanted) if wanted else 0

    def remove_all_facts(self) -> int:
        """Remove every fact of the memory; return how many went."""
        return self._fact_writer().remove_all() if self._state.language is not None else 0

    def _fact_writer(self) -> FactWriter:
        return FactWriter(self._client, memory=self.name, words=self.normaliser)

    def _spellings(self, predicate: str, words: Normaliser) -> list[str]:
        """Return the spellings in the memory that have the same words as `predicate`."""
        wanted = _words_of(predicate, words)
        return [row["predicate"] for row in self.predicates() if _words_of(row["predicate"], words) == wanted]


def _words_of(predicate: str, words: Normaliser) -> str:
    return words.name(predicate) or fold(predicate)


def moment(value: str | date | None) -> datetime | None:
    """Return a day or time as the time in UTC that statements take, None for None; UsageError for neither."""
    if value is None:
        return None
    try:
        return moment_of(value)
    except ValueError:
        raise UsageError(
            f"{str(value)[:60]!r} is no day and no time", hint="write 2026-03-31 or 2026-03-31T14:30:00Z"
        ) from None


def _fact(row: Row) -> Fact:
    return Fact(
        id=row["id"],
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        confidence=row["confidence"],
        strength=row["strength"],
        source=row["source"] or "",
        valid_from=row["validFrom"],
        valid_to=row["validTo"],
        activations=row["activations"] or 0,
        subject_text=row["subjectText"],
        object_text=row["objectText"],
    )
