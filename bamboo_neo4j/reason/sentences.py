"""Sentences of a passage, for finding the one that says what is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 600
"""Characters of one sentence; a longer one (a table, a text without points) is cut at a blank, or through."""

_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])|\s*\n\s*")
_LAST_WORD = re.compile(r"(\S+)\.$")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each at most `LONGEST` characters long."""
    return [piece for one in _joined(text) for piece in _cut(one)]


def _joined(text: str) -> Iterator[str]:
    """Yield what stands between ends; an initial or an abbreviation ends nothing."""
    start = at = 0
    for end in _END.finditer(text):
        if not _goes_on(text[at : end.start()], line_break="\n" in end[0]):
            if text[start : end.start()].strip():
                yield text[start : end.end()].strip()
            start = end.end()
        at = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def _goes_on(before: str, *, line_break: bool) -> bool:
    last = _LAST_WORD.search(before)
    if last is None or line_break:
        return False
    word = last[1]
    return (len(word) == 1 and word.isupper()) or word.lower() in words.abbreviations()


def _cut(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST:
        end = sentence.rfind(" ", 1, LONGEST)
        end = LONGEST if end < 1 else end
        yield sentence[:end]
        sentence = sentence[end:].strip()
    if sentence:
        yield sentence
