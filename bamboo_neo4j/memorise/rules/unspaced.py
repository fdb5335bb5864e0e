"""Scripts without spaces (Chinese, Japanese, Thai): short pieces, never a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.rules.reading import unspaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.normalise import Normaliser

QUOTED = 2.2
PIECE = 1.4
"""Weights: what stands in quotation marks is a name; a piece between function words is like a phrase."""
LONGEST = 10
SHORTEST = 2
"""Characters of a piece."""

_QUOTED = re.compile(r"[《〈「『“]([^《》〈〉「」『』“”\n]{2,16})[》〉」』”]")
_KANA = re.compile(r"[\u3041-\u3096]")
_JAPANESE = re.compile(
    r"[\u30a1-\u30fc]{3,}|[\u3005-\u3007\u3400-\u9fff][\u3005-\u3007\u3400-\u9fff\u30a1-\u30fc]+"
)


def pieces(text: str, *, normaliser: Normaliser) -> Iterator[tuple[str, float, int]]:
    """Give (piece, weight, start) of the short runs in `text`.

    Words where the normaliser has a segmenter. Else Japanese is cut at hiragana, which carries its grammar,
    and Chinese at its particles.
    """
    for match in _QUOTED.finditer(text):
        yield match[1], QUOTED, match.start(1)
    cut = _segmented(normaliser) if normaliser.segments else _by_pattern(text)
    for run in unspaced().finditer(text):
        for start, piece in cut(run[0]):
            if SHORTEST <= len(piece) <= LONGEST:
                yield piece, PIECE, run.start() + start


_Cut = Callable[[str], Iterable[tuple[int, str]]]


def _segmented(normaliser: Normaliser) -> _Cut:
    def cut(run: str) -> Iterator[tuple[int, str]]:
        for token in normaliser.tokens(run):
            if not normaliser.is_function_word(token.folded) and not normaliser.is_generic(token.folded):
                yield token.start, token.text

    return cut


def _by_pattern(text: str) -> _Cut:
    pattern = _JAPANESE if _KANA.search(text) else _CHINESE
    return lambda run: [(match.start(), match[0]) for match in pattern.finditer(run)]


_PARTICLES = (
    "的了在是和与與及或但而于於以为為被把从從对對向吗嗎呢吧啊之其这這那他她它们們我你您也都就不很着著"
    "过過曾将將并並等使让讓给給由所"
)
"""Characters that join words and are hardly ever inside a name."""
_CHINESE = re.compile(rf"(?:(?!什么|怎么|可以|因为|所以|如果|没有|以及|其中|[{_PARTICLES}]).)+")
