"""The difference between what is stored and what shall be: pure arithmetic, no database.

A change is the sum of what the new chunks give less what the old ones gave. What cancels out is not
touched, so an edge that two versions of a document share keeps its weight and what was learned on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

from bamboo_neo4j.normalise import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bamboo_neo4j.records import Chunk, Tag

K = TypeVar("K")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class StoredTag:
    """A tag link of a stored chunk."""

    key: str
    id: int
    about: bool
    kind: str
    salience: float


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as the graph holds it."""

    id: str
    ordinal: int
    terms: str
    length: int
    tags: tuple[StoredTag, ...]
    recipe: str = ""


@dataclass(slots=True)
class Change:
    """What one transaction has to do; counts are net, zeros left out by `taken` and `given`."""

    added: list[Chunk] = field(default_factory=list)
    rewritten: list[Chunk] = field(default_factory=list)
    moved: list[Chunk] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    pairs: Counter[Pair] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    chunks: int = 0
    terms: int = 0
    released: dict[str, int] = field(default_factory=dict)
    """Key and id of each tag that lost a link: it may have become idle."""

    def add(self, chunk: Chunk) -> None:
        """Count a chunk that is not stored yet."""
        self.added.append(chunk)
        self._give(chunk)

    def rewrite(self, stored: StoredChunk, chunk: Chunk) -> None:
        """Count a stored chunk whose tags, terms or place may have changed."""
        same_terms = (stored.terms, stored.length) == (chunk.terms, chunk.length)
        if same_terms and _links(stored.tags) == _links(chunk.tags):
            self.move(stored, chunk)
            return
        self.rewritten.append(chunk)
        self._take(stored)
        self._give(chunk)

    def move(self, stored: StoredChunk, chunk: Chunk) -> None:
        """Note a stored chunk that changed at most its place and its recipe."""
        if (stored.ordinal, stored.recipe) != (chunk.ordinal, chunk.recipe):
            self.moved.append(chunk)

    def remove(self, stored: StoredChunk) -> None:
        """Count a stored chunk that goes."""
        self.removed.append(stored.id)
        self._take(stored)

    @property
    def written(self) -> list[Chunk]:
        """The chunks that need their tags linked."""
        return self.added + self.rewritten

    def _give(self, chunk: Chunk) -> None:
        self.pairs.update(pairs(tag.key for tag in chunk.tags))
        self.words.update(set(words(chunk.terms)))
        self.chunks += 1
        self.terms += chunk.length

    def _take(self, stored: StoredChunk) -> None:
        self.pairs.subtract(pairs(tag.key for tag in stored.tags))
        self.words.subtract(set(words(stored.terms)))
        self.chunks -= 1
        self.terms -= stored.length
        self.released.update({tag.key: tag.id for tag in stored.tags})


def pairs(keys: Iterable[str]) -> Iterator[Pair]:
    """Yield each unordered pair of distinct keys once, the smaller key first."""
    return combinations(sorted(set(keys)), 2)


def pairs_of(tags: int) -> int:
    """Return how many pairs a chunk of so many tags gives."""
    return tags * (tags - 1) // 2


def portions(chunks: Iterable[Chunk], most: int) -> Iterator[tuple[Chunk, ...]]:
    """Yield `chunks` in order, in portions of at most `most` pairs; a chunk with more comes alone."""
    portion: list[Chunk] = []
    total = 0
    for chunk in chunks:
        given_pairs = pairs_of(len(chunk.tags))
        if portion and total + given_pairs > most:
            yield tuple(portion)
            portion, total = [], 0
        portion.append(chunk)
        total += given_pairs
    if portion:
        yield tuple(portion)


def words(terms: str) -> Iterator[str]:
    """Yield the terms of `Chunk.terms`, its separators left out."""
    return (term for term in terms.split() if term != SEPARATOR)


def taken(counts: Counter[K]) -> dict[K, int]:
    """Return what is taken back, as positive numbers."""
    return {key: -count for key, count in counts.items() if count < 0}


def given(counts: Counter[K]) -> dict[K, int]:
    """Return what is given."""
    return {key: count for key, count in counts.items() if count > 0}


def _links(tags: Iterable[StoredTag | Tag]) -> set[tuple[str, bool, str, float]]:
    return {(tag.key, tag.about, tag.kind, tag.salience) for tag in tags}
