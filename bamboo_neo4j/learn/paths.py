"""The path of an answer: which edges and facts it used, how much each, and which tags it used together.

An edge's share p is how many of the cited chunks used it, relative to the most used one (1 for a single hop).
Tags that one chunk's path, or the facts of a conclusion, bring together without an edge between them are used
together: such a pair may grow an edge.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.records import UsedEdge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.records import RecalledChunk, UsedPair

    Pair = tuple[str, str]

MOST_EDGES = 1_000
"""Edges of one path, the most used ones first: an episode stays a bounded piece of work."""
MOST_TAGS = 12
"""Tags of one chunk's path (or of the facts) that may be used together: pairs grow by the square."""
MOST_TOGETHER = 200
"""Pairs used together in one episode."""


class UsedFact(NamedTuple):
    """A fact that a conclusion used: its id and the names of its ends."""

    id: str
    source: str
    target: str


def used_edges(
    cited: Sequence[RecalledChunk], pairs: Sequence[UsedPair] = (), *, facts: Sequence[UsedFact] = ()
) -> tuple[UsedEdge, ...]:
    """Return the edges and facts of an answer with their shares, then the pairs that it used together.

    `cited` are the chunks that the answer cites, `pairs` what its modules joined because a chunk holds both.
    Edges come by share, then by name; each pair of tags stands once.
    """
    uses = _uses(cited, pairs)
    most = max(map(len, uses.values()), default=1)
    ranked = sorted(uses.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_EDGES]
    edges = [UsedEdge(*pair, share=len(by) / most) for pair, by in ranked]
    return (*edges, *_facts(facts), *_together(uses, facts, most=most))


def _uses(cited: Iterable[RecalledChunk], pairs: Iterable[UsedPair]) -> dict[Pair, set[str]]:
    """Return the chunks that used each pair of tags."""
    uses: dict[Pair, set[str]] = {}
    for chunk in cited:
        for via in chunk.via:
            if via.source != via.target:
                uses.setdefault(_ordered(via.source, via.target), set()).add(chunk.id)
    for pair in pairs:
        if pair.source != pair.target:
            uses.setdefault(_ordered(pair.source, pair.target), set()).add(pair.chunk)
    return uses


def _facts(facts: Sequence[UsedFact]) -> Iterator[UsedEdge]:
    counts: dict[UsedFact, int] = {}
    for fact in facts:
        counts[fact] = counts.get(fact, 0) + 1
    most = max(counts.values(), default=1)
    for fact, count in counts.items():
        yield UsedEdge(fact.source, fact.target, share=count / most, fact=fact.id)


def _together(uses: dict[Pair, set[str]], facts: Sequence[UsedFact], *, most: int) -> Iterator[UsedEdge]:
    """Yield pairs of tags that one path brings together with neither an edge of it nor a fact between."""
    units: dict[str, dict[str, None]] = {}
    for pair in sorted(uses):
        for chunk in sorted(uses[pair]):
            units.setdefault(chunk, {}).update(dict.fromkeys(pair))
    stated = {_ordered(fact.source, fact.target) for fact in facts}
    units["facts"] = dict.fromkeys(name for fact in facts for name in (fact.source, fact.target))
    counts: dict[Pair, int] = {}
    for tags in units.values():
        for pair in combinations(sorted(list(tags)[:MOST_TAGS]), 2):
            if pair not in uses and pair not in stated:
                counts[pair] = counts.get(pair, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_TOGETHER]
    for pair, count in ranked:
        yield UsedEdge(*pair, share=min(1.0, count / most), together=True)


def _ordered(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)
