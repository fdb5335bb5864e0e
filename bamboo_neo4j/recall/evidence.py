"""Evidence: the texts of the chosen chunks, and the edges of the graph that led to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.records import RecalledChunk, Via

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bamboo_neo4j.recall.ranking import Candidate, Ranked
    from bamboo_neo4j.recall.reading import Reader


class Step(NamedTuple):
    """One edge of a path, from a tag to a tag (their ids), of the first or the second degree."""

    start: int
    end: int
    degree: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A chunk to be recalled, with the path that led to it; none if the question's words found it."""

    id: str
    score: float
    steps: tuple[Step, ...] = ()
    primary: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chunks of a context, what had to be cut, and the statements that were run for it."""

    chunks: tuple[RecalledChunk, ...]
    truncated: tuple[str, ...]
    statements: tuple[str, ...]


def choice(ranked: Ranked, held: Mapping[str, Sequence[int]]) -> Choice:
    """Return the path of a ranked chunk: only edges that exist, none from a tag to itself.

    First degree: from each tag of the question that the source holds (`held`), else from its first primary
    tag, to the tag of the link; second degree: from there to the chunk's first primary tag.
    """
    mine = _primary(ranked.candidate)
    steps: list[Step] = []
    if ranked.link is not None and ranked.source is not None:
        over = ranked.link.tag
        origin = _primary(ranked.source)
        starts = held.get(ranked.source.id) or ([] if origin is None else [origin])
        steps = [Step(start, over, 1) for start in starts if start != over]
        if mine is not None and mine != over:
            steps.append(Step(over, mine, 2))
    return Choice(ranked.candidate.id, ranked.score, tuple(steps), mine)


def _primary(candidate: Candidate) -> int | None:
    return candidate.about[0] if candidate.about else None


def gather(
    choices: Sequence[Choice], *, read: Reader, cues: Iterable[int], cycle: int
) -> tuple[RecalledChunk, ...]:
    """Fetch texts and edges (round trip 3); a chunk that another process took back meanwhile is left out."""
    pairs = {_pair(step.start, step.end) for each in choices for step in each.steps}
    parameters = {
        "ids": [each.id for each in choices],
        "pairs": sorted(map(list, pairs)),
        "direct": [
            [each.id, each.primary] for each in choices if not each.steps and each.primary is not None
        ],
        "cues": sorted(cues),
        "cycle": cycle,
    }
    row = read("recall/evidence", parameters)[0]
    texts: dict[str, tuple[str, str, str, int, str, int]] = {each[0]: tuple(each) for each in row["chunks"]}
    edges = {(src, dst): values for src, dst, *values in row["edges"]}
    direct: dict[str, list[Step]] = {}
    for chunk, cue, primary in row["direct"]:
        direct.setdefault(chunk, []).append(Step(cue, primary, 1))
    return tuple(
        RecalledChunk(*texts[each.id], each.score, _via(each.steps or direct.get(each.id, ()), edges))
        for each in choices
        if each.id in texts
    )


def _via(steps: Iterable[Step], edges: Mapping[tuple[int, int], Sequence[object]]) -> tuple[Via, ...]:
    found = []
    for step in steps:
        edge = edges.get(_pair(step.start, step.end))
        if edge is not None:
            first, second, weight, strength = edge
            names = (first, second) if step.start < step.end else (second, first)
            found.append(Via(*names, step.degree, weight, strength))  # type: ignore[arg-type]
    return tuple(found)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
