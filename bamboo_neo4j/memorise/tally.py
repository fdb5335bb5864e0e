"""The tally of an ingest: what became of each input, and how that is said."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bamboo_neo4j.records import Failure, Remembered

if TYPE_CHECKING:
    from bamboo_neo4j.errors import BambooError
    from bamboo_neo4j.records import Document


class Skipped(Failure):
    """An input that holds no text: nothing to memorise, and no fault."""

    __slots__ = ()


@dataclass(slots=True)
class Tally:
    """What was done so far; becomes a `Remembered` at the end, also after an interruption."""

    started: float = field(default_factory=time.perf_counter)
    added: set[str] = field(default_factory=set)
    updated: set[str] = field(default_factory=set)
    unchanged: set[str] = field(default_factory=set)
    skipped: list[Failure] = field(default_factory=list)
    failed: dict[str, Failure] = field(default_factory=dict)
    """By document id, or by source where there is no document."""
    warnings: list[Failure] = field(default_factory=list)
    begun: dict[str, str] = field(default_factory=dict)
    """Documents that were read and are not whole in the graph yet: id, and the name that users know."""
    unread: list[str] = field(default_factory=list)
    """Sources that were not read to their end, when an ingest ends early."""
    chunks: int = 0
    tokens: int = 0
    tags: int = 0
    pairs: int = 0
    calls: int = 0

    def remembered(self) -> Remembered:
        """Return the sums as a record; a document that is not whole is not counted."""
        not_whole = self.failed.keys() | self.begun.keys()
        return Remembered(
            added=len(self.added - not_whole),
            updated=len(self.updated - self.added - not_whole),
            unchanged=len(self.unchanged - self.added - self.updated - self.failed.keys()),
            skipped=tuple(self.skipped),
            failed=tuple(self.failed.values()),
            warnings=tuple(self.warnings),
            chunks=self.chunks,
            tokens=self.tokens,
            tags=self.tags,
            pairs=self.pairs,
            calls=self.calls,
            milliseconds=(time.perf_counter() - self.started) * 1000,
        )

    def unfinished(self) -> list[str]:
        """Return the names of what is still to be done, in order, each once."""
        return list(dict.fromkeys([*self.begun.values(), *self.unread]))


def shown(document: Document) -> str:
    """Return the name of a document as users know it."""
    return document.uri or document.id


def one_line(error: BambooError) -> str:
    """Return message and next step of an error in one line."""
    return f"{error.message} ({error.hint})" if error.hint else error.message


def conflict(uri: str) -> str:
    """Say that an id belongs to another source."""
    return f"the id belongs to {uri!r} already; --replace gives it to this input"
