"""The paths of a recall as a drawing: from the cues on the left, over tags, to the chunks on the right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.connect.abridging import abridged

if TYPE_CHECKING:
    from bamboo_neo4j.records import Recall, RecalledChunk, Via

Escape = Callable[[object], str]

COLUMN, ROW, WIDTH, HEIGHT = 230, 44, 180, 30
"""Pixels between the left edges of columns and the upper edges of rows, and the size of a box."""
SHOWN = 24
"""Characters of a name in its box; all of it stands in the title that a pointer shows."""
TAGS = 3
"""Columns of tags: cues, first degree, second degree."""


@dataclass(frozen=True, slots=True)
class _Box:
    name: str
    kind: str
    x: int
    y: int


def draw_paths(recall: Recall, escape: Escape) -> str:
    """Return the edges that led to the chunks of `recall` as SVG, the thicker the stronger; "" without any.

    A chunk that the question's own words found stands in the drawing without an edge.
    """
    edges = list(dict.fromkeys(via for chunk in recall.chunks for via in chunk.via))
    if not edges:
        return ""
    tags, chunks = _tags(edges), _chunks(recall.chunks)
    lines = [
        _line(tags[via.source], tags[via.target], width=1 + 3 * via.strength, title=escape(_told(via)))
        for via in edges
    ]
    lines += [
        _line(tags[chunk.via[-1].target], chunks[chunk.id], width=1, title="")
        for chunk in recall.chunks
        if chunk.via
    ]
    boxes = [*tags.values(), *chunks.values()]
    width = max(box.x for box in boxes) + WIDTH + 10
    height = max(box.y for box in boxes) + ROW
    shapes = "".join([*lines, *(_box(box, escape) for box in boxes)])
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="paths to the chunks">{shapes}</svg>'


def _tags(edges: list[Via]) -> dict[str, _Box]:
    """Place each tag in the leftmost column it stands in."""
    columns: dict[str, int] = {}
    for via in edges:
        for name, column in ((via.source, via.degree - 1), (via.target, via.degree)):
            place = min(column, TAGS - 1)
            columns[name] = min(place, columns.get(name, place))
    filled = [0] * TAGS
    boxes = {}
    for name, column in columns.items():
        kind = "tag" if column else "cue"
        boxes[name] = _Box(name, kind, 10 + column * COLUMN, 10 + filled[column] * ROW)
        filled[column] += 1
    return boxes


def _chunks(chunks: tuple[RecalledChunk, ...]) -> dict[str, _Box]:
    return {
        chunk.id: _Box(chunk.title or chunk.document, "chunk", 10 + TAGS * COLUMN, 10 + row * ROW)
        for row, chunk in enumerate(chunks)
    }


def _line(start: _Box, end: _Box, *, width: float, title: str) -> str:
    """A curve from the right side of a box to the left side of another, or round its own column."""
    begin, finish = (start.x + WIDTH, start.y + HEIGHT // 2), (end.x, end.y + HEIGHT // 2)
    if end.x <= start.x:
        begin, finish = (end.x + WIDTH, end.y + HEIGHT // 2), (start.x, start.y + HEIGHT // 2)
    if end.x == start.x:
        finish = (start.x + WIDTH, start.y + HEIGHT // 2)
    middle = max(begin[0], (begin[0] + finish[0]) // 2) if end.x != start.x else begin[0] + 40
    curve = f"M{begin[0]} {begin[1]} C{middle} {begin[1]} {middle} {finish[1]} {finish[0]} {finish[1]}"
    return f'<path d="{curve}" stroke-width="{width:.1f}"><title>{title}</title></path>'


def _box(box: _Box, escape: Escape) -> str:
    shown = escape(abridged(box.name, SHOWN))
    return (
        f'<g><title>{escape(box.name)}</title><rect class="{box.kind}" x="{box.x}" y="{box.y}" '
        f'width="{WIDTH}" height="{HEIGHT}" rx="6"/><text x="{box.x + 8}" y="{box.y + 20}">{shown}</text></g>'
    )


def _told(via: Via) -> str:
    return f"{via.source} – {via.target}: weight {via.weight}, strength {via.strength:.2f}"
