"""Folding: spellings of one word become equal."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_ALIKE = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "æ": "ae", "œ": "oe", "þ": "th", "ŋ": "ng"}
)
"""Latin letters that Unicode does not take apart, as people type them without a special keyboard."""

_STRIPPED = ("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW")
_LETTERS_OF_THEIR_OWN = {"и\u0306", "і\u0308", "у\u0306"}
_IGNORED = re.compile(
    "[\u00ad\u0640\u034f\u061c\u180b-\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20f0"
    "\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
    "|(?<![\u203c-\u2bff\U0001f000-\U0001faff])\u200d"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f]+")
"""Soft hyphen, tatweel, direction marks, enclosing marks, variation selectors; joiners but between emoji."""


def fold(word: str) -> str:
    """Return `word` without the differences that spelling the same word may have (see the package)."""
    if word.isascii():
        return word.lower()
    return _fold(word)


def _fold(word: str) -> str:
    bare = _IGNORED.sub("", _SELECTORS.sub("", word))
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", bare).casefold().lower())
    kept: list[str] = []
    base = ""
    for character in plain.translate(_ALIKE):
        if not unicodedata.combining(character):
            base = character
            kept.append(character)
        elif base + character in _LETTERS_OF_THEIR_OWN or not _loses_marks(base):
            kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


@cache
def _loses_marks(base: str) -> bool:
    return bool(base) and unicodedata.name(base, "").startswith(_STRIPPED)
