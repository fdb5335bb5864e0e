"""The shapes of rows: what a statement may give, so that a damaged graph ends in one line and not in a crash.

A shape tells of each column whether a value may stand there; a number is finite, a whole one an integer.
Statements that look for damage, or live with it, have no shape.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.errors import DamagedGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Shape = Callable[[Any], bool]


def _whole(value: object) -> bool:
    return type(value) is int


def _number(value: object) -> bool:
    return type(value) is int or (type(value) is float and isfinite(value))


def _measured(value: object) -> bool:
    """A number of an edge, infinity and NaN too: a broken edge is passed over, and ends nothing."""
    return type(value) in {int, float}


def _text(value: object) -> bool:
    return type(value) is str


def _flag(value: object) -> bool:
    return type(value) is bool


def _time(value: object) -> bool:
    return hasattr(value, "iso_format")


def _maybe(shape: Shape) -> Shape:
    return lambda value: value is None or shape(value)


def _many(shape: Shape) -> Shape:
    return lambda value: type(value) is list and all(map(shape, value))


def _row(*shapes: Shape) -> Shape:
    size = len(shapes)
    return lambda value: (
        type(value) is list
        and len(value) == size
        and all(shape(each) for shape, each in zip(shapes, value, strict=True))
    )


_LINKS = _many(_row(_whole, _number, _whole))

SHAPES: dict[str, dict[str, Shape]] = {
    "recall/candidates": {
        "n": _whole,
        "terms": _whole,
        "cycle": _maybe(_whole),
        "tags": _many(_row(_whole, _text, _text, _whole, _whole, _many(_text))),
        "words": _many(_row(_text, _whole)),
        "chunks": _many(_row(_text, _text, _whole, _whole, _many(_whole))),
    },
    "recall/links": {
        "seen": _many(_row(_text, _LINKS)),
        "fresh": _many(_row(_text, _LINKS, _text, _whole, _whole, _many(_whole))),
    },
    "recall/evidence": {
        "chunks": _many(_row(_text, _text, _text, _whole, _text, _whole)),
        "edges": _many(_row(_whole, _whole, _text, _text, _measured, _measured)),
    },
    "recall/associate": {
        "cue": _text,
        "key": _text,
        "tag": _text,
        **dict.fromkeys(("weight", "strength", "rank", "score"), _measured),
        "seconds": _many(_row(_text, _text, _measured, _measured, _measured, _measured)),
    },
    "recall/paper_associate": {
        "cueId": _whole,
        "cue": _text,
        "id": _whole,
        "tag": _text,
        "weight": _whole,
        "seconds": _many(lambda far: _row(_whole, _text, _whole)(far[:3])),
    },
    "recall/paper_chunks": {
        "chunks": _many(_row(_text, _whole, _number, _many(_row(_whole, _whole)))),
    },
    "inspect/stats": {
        "language": _text,
        **dict.fromkeys(("documents", "unfinished", "chunks", "terms", "tokens", "tags", "words"), _whole),
        **dict.fromkeys(("edges", "cycle", "writes"), _whole),
        "createdAt": _time,
    },
    "inspect/tags": {"name": _text, "display": _text},
    "inspect/documents": {
        **dict.fromkeys(("id", "uri", "title", "mediaType"), _text),
        "tokens": _whole,
        "ingestedAt": _time,
        "reason": _maybe(_text),
    },
    "export/memory": {
        **dict.fromkeys(("language", "normaliser", "createdAt"), _text),
        **dict.fromkeys(("cycle", "swept", "chunks", "terms", "writes"), _whole),
        "sweeping": _maybe(_whole),
    },
    "export/documents": {
        **dict.fromkeys(("id", "uri", "title", "mediaType", "ingestedAt"), _text),
        **dict.fromkeys(("contentHash", "tagger", "unfinished"), _maybe(_text)),
        "last": _maybe(_whole),
    },
    "export/chunks": {
        **dict.fromkeys(("text", "terms"), _text),
        **dict.fromkeys(("ordinal", "tokens", "length"), _whole),
        "tags": _many(_row(_text, _text, _number, _flag)),
    },
    "export/tags": {"key": _text, "id": _whole, "name": _text, "display": _text},
    "export/words": {"name": _text, "df": _whole},
    "export/edges": {"id": _whole, "edges": _many(lambda edge: _text(edge[0]) and _whole(edge[1]))},
}


def checked(name: str, row: dict[str, Any], parameters: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return a row of the statement `name`; raise DamagedGraph where a value is not what it may give."""
    for column, shape in SHAPES.get(name, {}).items():
        if not shape(row[column]):
            raise DamagedGraph(str((parameters or {}).get("memory", "")), f"{column} in {name}")
    return row
