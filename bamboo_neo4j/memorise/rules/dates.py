"""Dates: full ones and bare years, both as tags (weights 1.7 and 1.5); a month alone is none."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.memorise.rules.reading import Word

TIME = 0.0
"""Times of day are found, so that they are taken for nothing else, but are no tags."""
FULL = 1.7
YEAR = 1.5
"""Weights by trial on paragraphs of an encyclopedia, as all weights of this package."""


@cache
def _months() -> frozenset[str]:
    return frozenset(month.lower() for month in words.months())


_NUMERIC = re.compile(
    r"(?<![^\W_])(?:(?:1\d|20)\d\d[-/.][01]\d[-/.][0-3]\d|20\d\d[01]\d[0-3]\d|(?:1\d|20)\d\ds?)(?![^\W_]|-\d)"
)


@cache
def _written() -> re.Pattern[str]:
    month = "|".join(sorted(_months(), key=len, reverse=True))
    year, day = r"(?:1\d|20)\d\d", r"[0-3]?\d(?:st|nd|rd|th)?"
    return re.compile(
        rf"\b(?:{day}(?:\.|º|er)?\s(?:de\s|of\s)?(?:{month})\.?,?\s(?:de\s)?{year}"
        rf"|(?:{month})\.?\s{day},?\s{year}|(?:{month})\.?,?\s(?:de\s)?{year}"
        rf"|{day}(?:\.|º)?\s(?:de\s|of\s)?(?:{month})|(?:{month})\.?\s{day}"
        rf")(?![^\W_]|-\d)|{_NUMERIC.pattern}",
        re.IGNORECASE,
    )


_CLOCK = re.compile(r"\b\d{1,2}(?:[:.]\d\d)?\s?[ap]\.?m\b\.?|\b\d{1,2}:\d\d(?::\d\d)?\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:1\d|20)\d\d")


class Date(NamedTuple):
    """A date in a sentence: as written, where it stands, its weight."""

    text: str
    start: int
    end: int
    weight: float


def dates(sentence: str, words: Sequence[Word]) -> Iterator[Date]:
    """Give the dates of a sentence, of which `words` are the words; a full date gives its year, too."""
    if not _DIGIT.search(sentence):
        return
    for match in _CLOCK.finditer(sentence):
        yield Date(match[0], *match.span(), TIME)
    lowered = (word.lower for word in words)
    pattern = _NUMERIC if _months().isdisjoint(lowered) else _written()
    for match in pattern.finditer(sentence):
        whole, (start, end) = match[0], match.span()
        if _YEAR.fullmatch(whole):
            yield Date(whole, start, end, YEAR)
            continue
        yield Date(whole, start, end, FULL)
        year = None if whole.isdigit() else _YEAR.search(whole)
        if year:
            yield Date(year[0], start + year.start(), start + year.end(), YEAR)


def outside(words: Sequence[Word], found: Iterable[Date], base: int) -> Sequence[Word]:
    """Leave out the words of full dates and times; what stood around them is not joined.

    `base` is where the sentence of the dates starts in the text of the words.
    """
    busy = sorted((base + date.start, base + date.end) for date in found if date.weight != YEAR)
    if not busy:
        return words
    kept: list[Word] = []
    cut = False
    for word in words:
        place = bisect_right(busy, (word.start, math.inf)) - 1
        if place >= 0 and word.start < busy[place][1]:
            cut = True
            continue
        kept.append(word._replace(gap=",") if cut else word)
        cut = False
    return kept
