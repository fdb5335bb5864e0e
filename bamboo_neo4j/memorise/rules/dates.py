"""Dates: full ones and bare years, both as tags (weights 1.7 and 1.5); a month alone is none."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


_YEAR = re.compile(r"(?:1\d|20)\d\d")


def dates(text: str, lowered: Iterable[str]) -> Iterator[tuple[int, int, str, float]]:
    """Give (start, end, tag, weight) of each date in `text`; a full date gives its year, too.

    `lowered` are the words of `text` in lower case.
    """
    pattern = _NUMERIC if _months().isdisjoint(lowered) else _written()
    for match in pattern.finditer(text):
        whole = match[0]
        if whole.isdigit() and len(whole) == 4:  # noqa: PLR2004
            yield *match.span(), whole, YEAR
            continue
        yield *match.span(), whole, FULL
        year = _YEAR.search(whole)
        if year and not whole.isdigit():
            yield match.start() + year.start(), match.start() + year.end(), year[0], YEAR
