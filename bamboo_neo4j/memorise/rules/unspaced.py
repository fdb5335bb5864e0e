"""Scripts without spaces (Chinese, Japanese, Thai): short pieces, never a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bamboo_neo4j import words
from bamboo_neo4j.memorise.rules.reading import unspaced

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = 2.2
PIECE = 1.4
"""Weights: what stands in quotation marks is a name; a piece between function words is like a phrase."""
LONGEST = 8
SHORTEST = 2
"""Characters of a piece."""
LONGEST_TITLE = 16

_QUOTED = re.compile(r"[《〈「『“]([^《》〈〉「」『』“”\n]{2,16})[》〉」』”]")
_KANA = re.compile(r"[\u3041-\u3096]")
_JAPANESE = re.compile(
    r"[\u30a1-\u30fc]{3,}|[\u3005-\u3007\u3400-\u9fff][\u3005-\u3007\u3400-\u9fff\u30a1-\u30fc]+"
)


def pieces(text: str) -> Iterator[tuple[str, float, int]]:
    """Give (piece, weight, start) of the short runs in `text`.

    Japanese is cut at hiragana, which carries its grammar; Chinese at its function words.
    """
    for match in _QUOTED.finditer(text):
        yield match[1], QUOTED, match.start(1)
    pattern = _JAPANESE if _KANA.search(text) else None
    for run in unspaced().finditer(text):
        cut = pattern.finditer(run[0]) if pattern else _chinese().finditer(run[0])
        for piece in cut:
            if SHORTEST <= len(piece[0]) <= LONGEST:
                yield piece[0], PIECE, run.start() + piece.start()


def _chinese() -> re.Pattern[str]:
    functions = sorted(words.function_words("zh"), key=lambda word: (-len(word), word))
    return re.compile(rf"(?:(?!{'|'.join(functions)}).)+")
