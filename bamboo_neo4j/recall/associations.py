"""Associations: the tags that a question's tags lead to, in the first and the second degree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.records import Association

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bamboo_neo4j.recall.reading import Reader

FETCH = 50
"""Edges a tag and direction that are read by rank and then scored."""
FETCH_SECOND = 20
"""The same at the second degree."""


def associate(
    keys: Sequence[str], *, read: Reader, memory: str, first: int = 5, second: int = 3
) -> tuple[Association, ...]:
    """Return the neighbours of the tags with these `keys`, best first; a tag reached twice has its best path.

    `first` neighbours a tag, and `second` of each of those, ranked by the share of chunks they have in common
    (max(weight, 1) / (df + df' - weight)) times strength / 0.5, half of that at the second degree.
    """
    if not keys:
        return ()
    parameters = {
        "memory": memory,
        "cues": list(keys),
        "first": first,
        "second": second,
        "fetch": max(FETCH, first),
        "fetchSecond": max(FETCH_SECOND, second + 1),
    }
    found: list[tuple[str, Association]] = []
    for row in read("recall/associate", parameters):
        near = Association(
            row["cue"], row["tag"], None, 1, row["weight"], row["strength"], row["rank"], row["score"]
        )
        found.append((row["key"], near))
        for key, name, *values in row["seconds"]:
            found.append((key, Association(row["cue"], name, row["tag"], 2, *values)))
    return tuple(_best_paths(found))


def _best_paths(found: Iterable[tuple[str, Association]]) -> list[Association]:
    ordered = sorted(found, key=lambda each: (-each[1].score, each[1].degree, each[0], each[1].cue))
    best: dict[str, Association] = {}
    for key, association in ordered:
        best.setdefault(key, association)
    return list(best.values())
