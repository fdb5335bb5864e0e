"""A document's text to pieces: on paragraph, then sentence boundaries, never above the maximum.

Paragraphs are packed until a piece reaches its goal; a paragraph that is too long by itself is cut by
semantic-text-splitter, which knows Unicode's sentences and words and the same tokens (o200k) as
`count_tokens`. It gets windows of a few thousand characters: its time grows faster than the text (five
megabytes on one line take five minutes at once, seconds in windows).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.memorise.tokens import count_tokens
from bamboo_neo4j.records import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_text_splitter import TextSplitter

MINIMUM = 200
MAXIMUM = 1200
LOWEST_MAXIMUM = 32
"""Below this a piece would no longer hold a sentence."""

_WINDOW = 6_000
_SLACK = 8  # room for the closing marks that are moved behind a cut
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+\S")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_BOUNDARIES = (
    re.compile(r".*\n", re.DOTALL),
    re.compile(r".*(?:[.!?…][\"'”’)\]]*\s+|[。！？；][」』”’）》】]*)", re.DOTALL),
    re.compile(r".*\s", re.DOTALL),
    re.compile(r".*[,;:|&=}\])>、，]", re.DOTALL),
)
# What closes a sentence or a bracket must not open a piece; joiners and marks belong to what is before them.
_CLOSING = re.compile(
    r"[\s。．，、！？；：」』）》】〉〕”’…,.!?;:)\]}\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]{1,4}"
)


class _Unit(NamedTuple):
    """A stretch of text that stays together: [start, end), its tokens, whether it begins with a heading."""

    start: int
    end: int
    tokens: int
    heading: bool = False


def check_limits(minimum: int, maximum: int) -> None:
    """Raise UsageError for limits that cannot be met."""
    if maximum < LOWEST_MAXIMUM:
        raise UsageError(
            f"the maximum of {maximum} tokens a chunk is below {LOWEST_MAXIMUM}",
            hint=f"use {MINIMUM}:{MAXIMUM}",
        )
    if minimum < 0 or minimum > maximum:
        raise UsageError(
            f"the minimum of {minimum} tokens a chunk is not between 0 and the maximum of {maximum}",
            hint=f"use MIN:MAX with MIN ≤ MAX, such as {MINIMUM}:{MAXIMUM}",
        )


def cut(text: str, *, minimum: int = MINIMUM, maximum: int = MAXIMUM, markdown: bool = False) -> list[Piece]:
    """Cut `text` into pieces of `minimum` to `maximum` tokens (o200k).

    Pieces come in order, do not overlap, hold all that is not white space, and each stands in the text at its
    `start`. None is above the maximum; one is below the minimum only if it cannot be joined or evened out
    with a neighbour. Text below the minimum is one piece; blank text none. With `markdown`, a heading stays
    with what it is above and fenced code is kept together where it fits. Deterministic.
    Raises UsageError for limits that cannot be met.
    """
    check_limits(minimum, maximum)
    stripped = text.strip()
    if len(stripped) <= _WINDOW and (tokens := count_tokens(stripped)) < minimum:
        return [Piece(stripped, text.index(stripped), tokens)] if stripped else []
    # the middle of the range: smaller pieces lose what the text before them said, larger ones blur
    goal = min(max((minimum + maximum) // 2, LOWEST_MAXIMUM), maximum - _SLACK)
    units = list(_units(text, goal, maximum=maximum, markdown=markdown))
    groups = _mend(text, _pack(units, minimum, goal, maximum=maximum), minimum, maximum=maximum)
    return [
        piece for group in groups for piece in _pieces(text, group[0].start, group[-1].end, maximum=maximum)
    ]


def _units(text: str, goal: int, *, maximum: int, markdown: bool) -> Iterator[_Unit]:
    """Yield the paragraphs, cut where they are too long, each with the white space behind it."""
    for start, end, heading in _blocks(text, markdown=markdown):
        if end - start <= _WINDOW and (tokens := count_tokens(text[start:end])) <= maximum - _SLACK:
            yield _Unit(start, end, tokens, heading)
        else:
            first, *rest = _fine(text, start, end, capacity=goal)
            yield first._replace(heading=heading)
            yield from rest


def _blocks(text: str, *, markdown: bool) -> Iterator[tuple[int, int, bool]]:
    cuts = [match.end() for match in _PARAGRAPH.finditer(text)]
    if markdown:
        cuts = _markdown_cuts(text, cuts)
    start, heading = 0, False
    for end in [*cuts, len(text)]:
        if not text[start:end].strip():
            continue
        heading = heading or (markdown and _HEADING.match(text, start) is not None)
        lone = markdown and _HEADING.match(text, start) and "\n" not in text[start:end].strip()
        if lone and end - start < _WINDOW and end < len(text):
            continue  # a heading stays with the paragraph below it
        yield start, end, heading
        start, heading = end, False
    if start < len(text) and text[start:].strip():
        yield start, len(text), heading


def _markdown_cuts(text: str, cuts: list[int]) -> list[int]:
    """Add a cut before each heading and drop those inside fenced code."""
    fences: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            fences.append((opened.start(), fence.end()))
            opened = None
    headings = [match.start() + 1 for match in re.finditer(r"\n(?=[ ]{0,3}#{1,6}[ \t]+\S)", text)]
    kept = []
    inside = iter([*fences, (len(text) + 1, len(text) + 1)])
    low, high = next(inside)
    for position in sorted({*cuts, *headings}):
        while position >= high:
            low, high = next(inside)
        if position <= low:
            kept.append(position)
    return kept


def _fine(text: str, start: int, end: int, *, capacity: int) -> list[_Unit]:
    """Cut text[start:end] into units of at most about `capacity` tokens, on the best boundaries there are."""
    splitter = _splitter(capacity)
    cuts = [start]
    for low, high in _windows(text, start, end):
        for offset, _ in splitter.chunk_indices(text[low:high]):
            position = low + offset
            if position > cuts[-1] and (closing := _CLOSING.match(text, position, end)):
                position = closing.end()
            if cuts[-1] < position < end:
                cuts.append(position)
    return [_Unit(a, b, count_tokens(text[a:b])) for a, b in zip(cuts, [*cuts[1:], end], strict=True)]


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of at most `_WINDOW` characters that end on a boundary in their last quarter."""
    while end - start > _WINDOW:
        tail = start + _WINDOW * 3 // 4
        found = (boundary.match(text, tail, start + _WINDOW) for boundary in _BOUNDARIES)
        stop = next((match.end() for match in found if match), start + _WINDOW)
        yield start, stop
        start = stop
    yield start, end


@lru_cache(maxsize=8)
def _splitter(capacity: int) -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    return TextSplitter.from_tiktoken_model("gpt-4o", capacity, trim=False)


def _pack(units: list[_Unit], minimum: int, goal: int, *, maximum: int) -> list[list[_Unit]]:
    """Join units up to the goal; a heading opens a new group once the minimum is reached."""
    groups: list[list[_Unit]] = []
    total = 0
    for unit in units:
        full = total >= minimum and (unit.heading or total + unit.tokens > goal)
        if not groups or full or total + unit.tokens > maximum - _SLACK:
            groups.append([])
            total = 0
        groups[-1].append(unit)
        total += unit.tokens
    return groups


def _mend(text: str, groups: list[list[_Unit]], minimum: int, *, maximum: int) -> list[list[_Unit]]:
    """Join groups below the minimum with a neighbour, or even the two out."""
    mended: list[list[_Unit]] = []
    for index, group in enumerate(groups):
        before = mended[-1] if mended else []
        small = bool(before) and min(_tokens(group), _tokens(before)) < minimum
        after = groups[index + 1] if index + 1 < len(groups) else []
        joins_after = (
            after and _tokens(group) < minimum and _tokens(group) + _tokens(after) <= maximum - _SLACK
        )
        if not small or (joins_after and _tokens(after) < _tokens(before)):
            mended.append(group)
        elif _tokens(before) + _tokens(group) <= maximum - _SLACK:
            mended[-1] = before + group
        else:
            mended[-1:] = _even(text, before + group, minimum, maximum=maximum)
    return mended


def _tokens(group: list[_Unit]) -> int:
    return sum(unit.tokens for unit in group)


def _even(text: str, units: list[_Unit], minimum: int, *, maximum: int) -> list[list[_Unit]]:
    """Cut `units` into two groups that are as even as their boundaries allow."""
    grain = max(min(minimum, maximum) // 4, LOWEST_MAXIMUM // 2)
    units = [
        part for unit in units for part in (_grains(text, unit, grain) if unit.tokens > grain else [unit])
    ]
    half = _tokens(units) / 2
    best = min(range(1, len(units)), key=lambda i: (abs(_tokens(units[:i]) - half), i), default=1)
    return [group for group in (units[:best], units[best:]) if group]


def _grains(text: str, unit: _Unit, grain: int) -> list[_Unit]:
    first, *rest = _fine(text, unit.start, unit.end, capacity=grain)
    return [first._replace(heading=unit.heading), *rest]


def _pieces(text: str, start: int, end: int, *, maximum: int) -> Iterator[Piece]:
    """Yield text[start:end] without the white space around it, cut again should it be too long.

    Tokens do not quite add up, and long runs are counted high (tokens.py): only this count is the exact one.
    """
    stripped = text[start:end].strip()
    start = text.index(stripped, start, end) if stripped else start
    tokens = count_tokens(stripped)
    if tokens <= maximum:
        if stripped:
            yield Piece(stripped, start, tokens)
        return
    for unit in _fine(text, start, start + len(stripped), capacity=max(maximum // 2, 1)):
        yield from _halve(text, unit.start, unit.end, maximum=maximum)


def _halve(text: str, start: int, end: int, *, maximum: int) -> Iterator[Piece]:
    stripped = text[start:end].strip()
    tokens = count_tokens(stripped)
    if tokens > maximum and end - start > 1:
        middle = (start + end) // 2
        yield from _halve(text, start, middle, maximum=maximum)
        yield from _halve(text, middle, end, maximum=maximum)
    elif stripped:
        yield Piece(stripped, text.index(stripped, start, end), tokens)
