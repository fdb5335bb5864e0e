"""Splitting: where a word begins and ends in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from bamboo_neo4j.normalise.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Characters of scripts that are written without spaces, as ranges of a character class."""

_JOINERS = "\u00ad\u200c\u200d\u2060\ufeff\u200e\u200f\u061c"
_PICTURE = "[\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff]"
_PICTURES = rf"(?:{_PICTURE}|[\u203c-\u3299](?=\ufe0f))[\ufe0f\U0001f3fb-\U0001f3ff]*"
"""One symbol with its variation selector and skin tone."""


@cache
def runs() -> re.Pattern[str]:
    """Group 1 of a match is an abbreviation with points, a run of letters, digits and marks, or an emoji."""
    marks = combining_marks()
    run = rf"\w[\w{marks}{_JOINERS}\U000e0100-\U000e01ef]*"
    return re.compile(
        rf"((?<![\w.])(?:[^\W\d_]\.){{2,}}(?:[^\W\d_](?!\w))?"
        rf"|{run}(?:(?:(?<=[^\W\d_])|(?<=[{marks}]))(?:\+\+|\+(?!\w)|\#)(?![^\W\d_]))?"
        rf"|[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURES}(?:\u200d{_PICTURES})*)"
        rf"(?:['’][sS](?![\w{marks}]))?"
    )


@cache
def combining_marks() -> str:
    """Return the combining marks as ranges of a character class."""
    blocks = [(0x300, 0x1100), (0x1700, 0x1E00), (0x20D0, 0x2100), (0x2C00, 0x3100), (0xA600, 0xAC00)]
    blocks += [
        (0xFB00, 0xFE30),
        (0x10100, 0x12000),
        (0x16A00, 0x17000),
        (0x1E000, 0x1F000),
        (0xE0100, 0xE01F0),
    ]
    found = [code for block in blocks for code in range(*block) if unicodedata.category(chr(code))[0] == "M"]
    starts = [code for code, before in zip(found, [-1, *found], strict=False) if code != before + 1]
    ends = [code for code, after in zip(found, [*found[1:], -1], strict=True) if code != after - 1]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


_SIMPLE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_PIECES = re.compile(rf"[{UNSPACED}]+|[{_HANGUL}]+|[^_{UNSPACED}{_HANGUL}]+")


def split(word: str) -> Iterator[tuple[int, int, str, bool]]:
    """Split a run at underscores, changes of script and humps into (start, end, folded, without spaces)."""
    if _SIMPLE.fullmatch(word):
        yield 0, len(word), word.lower(), False
    elif "." in word:
        yield from ((0, len(word), *words) for words in _words(fold(word.replace(".", ""))))
    else:
        for piece in _PIECES.finditer(word):
            start, end = piece.span()
            humps = () if is_unspaced(word[start]) else _humps(piece[0])
            for first, last in pairwise([start, *(start + hump for hump in humps), end]):
                yield from ((first, last, *words) for words in _words(fold(word[first:last])))


def _words(folded: str) -> Iterator[tuple[str, bool]]:
    """Split once more where folding brought up separators (``½``) or another script."""
    if folded.isalnum() and folded.isascii():
        yield folded, False
        return
    for match in runs().finditer(folded):
        for piece in _PIECES.finditer(match[1].replace(".", "")):
            yield piece[0], is_unspaced(piece[0][0])


def _humps(word: str) -> Iterator[int]:
    """Find where words written as one meet: ``LiHua``, ``HTMLParser``; not ``iPhone``, ``PhD``, ``URLs``."""
    letters = [(index, letter) for index, letter in enumerate(word) if not unicodedata.combining(letter)]
    plain = "".join(letter for _, letter in letters)
    if plain.islower() or plain.isupper():
        return
    last = 0
    for number, (index, letter) in enumerate(letters):
        if letter.isupper() and number - last > 1:
            after = [following.islower() for following in plain[number + 1 : number + 3]]
            before = plain[number - 1]
            if (before.islower() and after) or (before.isupper() and after == [True, True]):
                yield index
                last = number


@cache
def is_unspaced(character: str) -> bool:
    """Tell whether a character belongs to a script without spaces."""
    return re.match(f"[{UNSPACED}]", character) is not None
