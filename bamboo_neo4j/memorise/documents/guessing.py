"""The encoding of bytes that say nothing of it: charset-normalizer, with a second look at short texts."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

# Below this many bytes outside ASCII the detector has too little to go by: six bytes of GBK become Big5.
_SHORT = 120
# The encodings that short texts are met in, the more frequent first.
_FREQUENT = ("gb18030", "cp932", "euc_jp", "big5", "cp949", "cp1251", "koi8_r")
# The lead bytes of a charset's frequent characters, which its makers put first (GB 2312, Big5 and JIS X 0208
# level 1; all Hangul of KS X 1001).
_LEVEL_ONE = {
    encoding: (charset, frozenset(bytes((lead,)) for lead in range(low, high + 1)))
    for encoding, charset, low, high in (
        ("gb18030", "gb2312", 0xB0, 0xD7),
        ("big5", "big5", 0xA4, 0xC6),
        ("euc_jp", "euc_jp", 0xB0, 0xCF),
        ("cp932", "euc_jp", 0xB0, 0xCF),
        ("cp949", "euc_kr", 0xB0, 0xC8),
    )
}
_WORD = re.compile(r"\w+")


def guess(data: bytes) -> tuple[str, str] | None:
    """Return text and encoding of `data`, or None when nothing fits."""
    from charset_normalizer import from_bytes

    matches = list(from_bytes(data))
    candidates = [_likeliest(matches)] if matches else []
    outside = len(data) - len(data.decode("ascii", "ignore"))
    if outside < _SHORT:
        candidates += [(text, name) for name in _FREQUENT if (text := attempt(data, name)) is not None]
        candidates.sort(key=lambda candidate: -round(_plausibility(*candidate), 1))
    if not candidates:
        return None
    text, name = candidates[0]
    return text, name.replace("cp125", "windows-125").replace("_", "-")


def attempt(data: bytes, encoding: str) -> str | None:
    """Return the text of `data` in `encoding`, or None if it is not in it."""
    try:
        return data.decode(encoding)
    except (ValueError, LookupError):
        return None


def _likeliest(matches: list[CharsetMatch]) -> tuple[str, str]:
    """Return text and name of the best match; where several are level, the most widely used encoding.

    The detector often ranks cp1250 before cp1252 for Western text although it finds less language in it.
    """
    least = min(match.chaos for match in matches)
    level = [match for match in matches if match.chaos <= least + 0.01]
    most = max(match.coherence for match in level)
    level = [match for match in level if match.coherence >= most - 0.02]
    best = next((match for match in level if "cp1252" in match.could_be_from_charset), level[0])
    return str(best), "cp1252" if "cp1252" in best.could_be_from_charset else best.encoding


def _plausibility(text: str, encoding: str) -> float:
    """Return how usual the characters outside ASCII are where they stand, from 0 to 1."""
    marks = [
        _usual(word[place], word, encoding)
        for word in _WORD.findall(text)
        for place in range(len(word))
        if not word[place].isascii()
    ]
    # Signs and box drawing inside text are no words: they count as unusual.
    signs = sum(
        not character.isascii() and unicodedata.category(character) in {"So", "Sm", "Sk", "Sc", "No"}
        for character in text
    )
    return sum(marks) / (len(marks) + signs) if marks else 0.0


def _usual(character: str, word: str, encoding: str) -> float:
    charset, frequent = _LEVEL_ONE.get(encoding, ("", frozenset()))
    name = unicodedata.name(character, "")
    if name.startswith("HALFWIDTH"):
        return 0.0
    if name.startswith(("HIRAGANA", "KATAKANA")):
        return 1.0 if charset == "euc_jp" else 0.5
    if not (character.islower() or character.isupper()):  # no case: ideographs, Hangul, Arabic, Hebrew, …
        if not charset:  # Arabic, Hebrew, Thai, …; but ideographs in an encoding that few use
            return 0.5 if name.startswith(("CJK", "HANGUL")) else 1.0
        return 1.0 if _encoded(character, charset)[:1] in frequent else 0.2
    if word != word.capitalize() and not word.isupper() and not word.islower():
        return 0.0
    # A word of Latin letters is rarely all accents; one of Cyrillic or Greek holds no ASCII letter.
    mixed = any(letter.isascii() and letter.isalpha() for letter in word)
    return 1.0 if name.startswith("LATIN") == mixed else 0.3


def _encoded(character: str, charset: str) -> bytes:
    try:
        return character.encode(charset)
    except UnicodeEncodeError:
        return b""
