"""Ranking: two rounds of pure arithmetic over a bounded number of chunks.

Round 1 scores the candidates by the words, the neighbouring words and the names of the question. Round 2
looks from the best of them over the tags they share with other chunks, and asks how much of the question
that is still open each of those covers. `docs/recall.md` has the formulas, their sources and figures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

K1 = 1.2
"""BM25: how slowly repeated terms saturate (Robertson and Zaragoza 2009; Lucene's default)."""
B = 0.75
"""BM25: how much a chunk's length counts (the same)."""
NEIGHBOURS = 0.5
"""What two neighbouring words of the question are worth when they are neighbours in the chunk too."""
RESOLVED = 0.5
"""Factor of the words of a name whose own chunks are known, in every other chunk."""
CANDIDATES = 50
"""Chunks of the full-text index that are ranked; those about a name of the question come on top."""
SOURCES = 8
"""Chunks that round 2 starts from."""
FRESH = 40
"""Chunks first met in round 2 that are ranked."""
BRIDGE = 1.2
"""Weight of the second round."""
UNANCHORED = 0.5
"""Factor of a link from a chunk that holds no name of the question: it may be off the subject itself."""
RESIDUAL = 0.5
"""Share of a link's worth that depends on how much of the open question the linked chunk covers."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a memory knows of itself: the number of its chunks, and of all their terms."""

    chunks: int
    terms: int

    @property
    def mean_length(self) -> float:
        """Mean number of terms a chunk; 1 for an empty memory."""
        return self.terms / self.chunks if self.chunks and self.terms else 1.0

    @property
    def most(self) -> float:
        """L, the scale of idf: ln(1 + N)."""
        return log(1 + self.chunks)

    def idf(self, df: int) -> float:
        """Return ln(1 + (N - df + ½)/(df + ½)), df at most N (Robertson and Zaragoza 2009, as in Lucene)."""
        df = min(df, self.chunks)
        return log(1 + (self.chunks - df + 0.5) / (df + 0.5))

    def specificity(self, df: int) -> float:
        """Return idf(df) / L: about 1 for a tag of one chunk, about 0 for a tag of them all."""
        return self.idf(df) / self.most if self.chunks else 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that may be recalled: its terms in order, their number, the ids of the tags it is about.

    Of those the first has the most words. `tokens` is what its text costs in a context.
    """

    id: str
    terms: tuple[str, ...]
    length: int
    about: tuple[int, ...]
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A tag of the question, as ranking sees it.

    `worth` (theta) goes to every chunk about it; `about` are the ids of those chunks, empty if there are
    too many; `terms` are the words of the question that it is made of; a `weak` name resolves nothing.
    """

    id: int
    terms: frozenset[str]
    worth: float
    about: frozenset[str]
    weak: bool = False


@dataclass(frozen=True)
class Query:
    """A question, as ranking sees it: weights of its words, of its neighbouring words, and its names."""

    words: Mapping[str, float]
    neighbours: Mapping[tuple[str, str], float]
    names: tuple[Name, ...]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The terms that are looked for in a chunk."""
        return frozenset(self.words).union(*self.neighbours)

    @cached_property
    def strong(self) -> frozenset[int]:
        """The ids of the names that are not weak."""
        return frozenset(name.id for name in self.names if not name.weak)

    @cached_property
    def resolving(self) -> tuple[Name, ...]:
        """The names whose own chunks are known: elsewhere their words say less."""
        return tuple(name for name in self.names if name.about and not name.weak)


@dataclass(frozen=True, slots=True)
class Link:
    """From the source number `source` of round 2 to a chunk, over a tag; `worth` is in [0, 1.5]."""

    source: int
    worth: float
    tag: int


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk of round 1: its score, relative to the best, and how much each word of the question counts."""

    candidate: Candidate
    score: float
    importance: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk of the result; `link` is the link that carried it, with the chunk it came from."""

    candidate: Candidate
    score: float
    source: Candidate | None = None
    link: Link | None = None


def importance(candidate: Candidate, words: Container[str], corpus: Corpus) -> dict[str, float]:
    """Return tf (k1 + 1) / (tf + k1 (1 - b + b length/mean)) of each of `words` that the chunk holds."""
    return _saturated(Counter(term for term in candidate.terms if term in words), candidate, corpus)


def _saturated(counts: Mapping[str, int], candidate: Candidate, corpus: Corpus) -> dict[str, float]:
    norm = K1 * (1 - B + B * candidate.length / corpus.mean_length)
    return {word: count * (K1 + 1) / (count + norm) for word, count in counts.items()}


def evidence(candidate: Candidate, query: Query, corpus: Corpus) -> tuple[float, dict[str, float]]:
    """Return a chunk's own score, before it is divided by the best one's, and its `importance`."""
    # One pass over the terms: this is where most of the time of a recall outside the database goes.
    words, wanted = query.words, query.wanted
    places = [(place, term) for place, term in enumerate(candidate.terms) if term in wanted]
    held = _saturated(Counter(term for _, term in places if term in words), candidate, corpus)
    elsewhere = {term for name in query.resolving if candidate.id not in name.about for term in name.terms}
    score = sum(
        words[word] * value * (RESOLVED if word in elsewhere else 1.0) for word, value in held.items()
    )
    if query.neighbours:
        beside = {(v, w) for (i, v), (j, w) in pairwise(places) if j == i + 1}
        score += NEIGHBOURS * sum(weight for pair, weight in query.neighbours.items() if pair in beside)
    score += sum(name.worth for name in query.names if name.id in candidate.about)
    return score, held


def order(scored: Iterable[Scored]) -> list[Scored]:
    """Sort by score, best first, then by chunk id."""
    return sorted(scored, key=lambda each: (-each.score, each.candidate.id))


def first_round(
    found: Iterable[Candidate], about: Iterable[Candidate], *, query: Query, corpus: Corpus
) -> tuple[list[Scored], float]:
    """Score the candidates: the best of those the index `found`, and all `about` a name of the question.

    Returns them in order with scores in [0, 1], and the score by which they were divided.
    """
    best = order(_own(candidate, query, corpus) for candidate in found)[:CANDIDATES]
    kept = {each.candidate.id: each for each in best}
    for candidate in about:
        if candidate.id not in kept:
            kept[candidate.id] = _own(candidate, query, corpus)
    top = max((each.score for each in kept.values()), default=0.0) or 1.0
    return order(Scored(each.candidate, each.score / top, each.importance) for each in kept.values()), top


def _own(candidate: Candidate, query: Query, corpus: Corpus) -> Scored:
    return Scored(candidate, *evidence(candidate, query, corpus))


def residual(source: Mapping[str, float], target: Mapping[str, float], words: Mapping[str, float]) -> float:
    """Return how much of the words that `source` lacks `target` holds, in [0, 1]; 0 if it lacks none."""
    return _covered(target, _lacking(source, words))


def _lacking(source: Mapping[str, float], words: Mapping[str, float]) -> dict[str, float]:
    return {word: weight for word, weight in words.items() if word not in source}


def _covered(target: Mapping[str, float], lacking: Mapping[str, float]) -> float:
    total = sum(lacking.values())
    if not total:
        return 0.0
    return sum(weight * min(1.0, target[word]) for word, weight in lacking.items() if word in target) / total


def second_round(
    scored: Sequence[Scored],
    fresh: Iterable[Candidate],
    *,
    links: Mapping[str, Sequence[Link]],
    top: float,
    query: Query,
    corpus: Corpus,
    lessons: Mapping[str, float] | None = None,
) -> list[Ranked]:
    """Return all chunks in order: own score plus `BRIDGE` times the best link from one of the sources.

    `links` maps a chunk's id to the links that lead to it; sources are numbered as in `scored`; `top` is what
    `first_round` divided by; `lessons` are what validated answers add to chunks, by id.
    """
    targets = list(scored)
    for candidate in fresh:
        score, held = evidence(candidate, query, corpus)
        targets.append(Scored(candidate, score / top, held))
    sources = {link.source for each in links.values() for link in each}
    lacking = {source: _lacking(scored[source].importance, query.words) for source in sources}
    ranked = [_bridged(target, links.get(target.candidate.id, ()), scored, lacking) for target in targets]
    if lessons:
        ranked = [replace(each, score=each.score + lessons.get(each.candidate.id, 0.0)) for each in ranked]
    return sorted(ranked, key=lambda each: (-each.score, each.candidate.id))


def anchored(link: Link, held: Iterable[int], query: Query) -> Link:
    """Return `link`, at `UNANCHORED` of its worth unless its source holds a name of the question.

    `held` are the tags of the question that the source holds; weak names do not count.
    """
    return link if query.strong.intersection(held) else replace(link, worth=link.worth * UNANCHORED)


def _bridged(
    target: Scored,
    links: Sequence[Link],
    scored: Sequence[Scored],
    lacking: Mapping[int, Mapping[str, float]],
) -> Ranked:
    best, chosen = 0.0, None
    for link in sorted(links, key=lambda each: (each.source, each.tag)):
        most = scored[link.source].score * link.worth
        if most > best:
            covered = _covered(target.importance, lacking[link.source])
            value = most * (1 - RESIDUAL + RESIDUAL * covered)
            if value > best:
                best, chosen = value, link
    origin = scored[chosen.source].candidate if chosen else None
    return Ranked(target.candidate, target.score + BRIDGE * best, origin, chosen)
