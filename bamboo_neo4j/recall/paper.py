"""The published recall of BambooKG (arXiv 2510.25724), as `--ranking paper`.

First-degree neighbours of the question's tags by weight, second-degree neighbours of each of those, and as
context the chunks that hold both ends of a retrieved edge. The paper returns a set; to pack it under a budget
it is ordered by the sum of the weights of a chunk's edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.recall.context import pack
from bamboo_neo4j.recall.evidence import Choice, Chosen, Step, gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.recall.reading import Reader

MOST_CHUNKS = 1000
"""Chunks of one edge that are taken."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    id: str
    tokens: int
    score: float
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PaperRecall:
    """The paper's settings: X first-degree neighbours a tag, Y second-degree neighbours of each of those."""

    memory: str
    first: int = 5
    second: int = 3
    limit: int = 10
    tokens: int | None = None


def choose(asked: PaperRecall, keys: Sequence[str], *, read: Reader, cycle: int) -> Chosen:
    """Recall as published from the tags with these `keys`; without a tag nothing comes back."""
    if not keys:
        return Chosen((), ("no tag of the question is known, and this ranking knows no words",), ())
    steps, weights, names = _edges(asked, keys, read)
    edges = [[src, dst, float(weight)] for (src, dst), weight in sorted(weights.items())]
    row = read("recall/paper_chunks", {"edges": edges, "most": MOST_CHUNKS})[0]
    chunks = [
        _Chunk(chunk, tokens, score, tuple((src, dst) for src, dst in held))
        for chunk, tokens, score, held in row["chunks"]
    ]
    packed = pack(chunks, limit=asked.limit, tokens=asked.tokens)
    choices = [
        Choice(
            chunks[place].id, chunks[place].score, tuple(steps[edge] for edge in sorted(chunks[place].edges))
        )
        for place in packed.places
    ]
    said = tuple(
        f"only {MOST_CHUNKS} chunks of the edge {names[src]} – {names[dst]} were looked at"
        for src, dst in sorted(map(tuple, row["cut"]))
    )
    statements = ("recall/paper_associate", "recall/paper_chunks", "recall/evidence")
    return Chosen(gather(choices, read=read, cues=(), cycle=cycle), (*said, *packed.cut), statements)


def _edges(
    asked: PaperRecall, keys: Sequence[str], read: Reader
) -> tuple[dict[tuple[int, int], Step], dict[tuple[int, int], int], dict[int, str]]:
    """Return the retrieved edges as steps from the question on, their weights, and their tags' names."""
    steps: dict[tuple[int, int], Step] = {}
    weights: dict[tuple[int, int], int] = {}
    names: dict[int, str] = {}
    parameters = {"memory": asked.memory, "cues": list(keys), "first": asked.first, "second": asked.second}
    for row in read("recall/paper_associate", parameters):
        near = row["id"]
        names |= {row["cueId"]: row["cue"], near: row["tag"]}
        reached = [(row["cueId"], near, 1, row["weight"])]
        for far, name, weight, *_ in row["seconds"]:
            names[far] = name
            reached.append((near, far, 2, weight))
        for start, end, degree, weight in reached:
            edge = (min(start, end), max(start, end))
            if edge not in steps or degree < steps[edge].degree:
                steps[edge] = Step(start, end, degree)
            weights[edge] = weight
    return steps, weights, names
