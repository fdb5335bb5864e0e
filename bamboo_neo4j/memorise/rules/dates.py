"""Dates: full ones and bare years, both as tags (weights 1.7 and 1.5); a month alone is none."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = 1.7
YEAR = 1.5
"""Weights by trial on paragraphs of an encyclopedia, as all weights of this package."""


@cache
def _pattern() -> re.Pattern[str]:
    month = "|".join(sorted(words.months(), key=len, reverse=True))
    year, day = r"(?:1\d|20)\d\d", r"[0-3]?\d(?:st|nd|rd|th)?"
    return re.compile(
        rf"\b(?:{day}(?:\.|º|er)?\s(?:de\s|of\s)?(?:{month})\.?,?\s(?:de\s)?{year}"
        rf"|(?:{month})\.?\s{day},?\s{year}|(?:{month})\.?,?\s(?:de\s)?{year}"
        rf"|{day}(?:\.|º)?\s(?:de\s|of\s)?(?:{month})|(?:{month})\.?\s{day}"
        rf"|{year}[-/.][01]\d[-/.][0-3]\d|20\d\d[01]\d[0-3]\d(?=_)|20\d\d[01]\d[0-3]\d|{year}s?)(?![^\W_]|-\d)",
        re.IGNORECASE,
    )


_YEAR = re.compile(r"(?:1\d|20)\d\d")


def dates(text: str) -> Iterator[tuple[int, int, str, float]]:
    """Give (start, end, tag, weight) of each date in `text`; a full date gives its year, too."""
    for match in _pattern().finditer(text):
        whole = match[0]
        if whole.isdigit() and len(whole) == 4:  # noqa: PLR2004
            yield *match.span(), whole, YEAR
            continue
        yield *match.span(), whole, FULL
        year = _YEAR.search(whole)
        if year and not whole.isdigit():
            yield match.start() + year.start(), match.start() + year.end(), year[0], YEAR
