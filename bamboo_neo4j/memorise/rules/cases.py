"""How a chunk writes its words, which tells names from words that are capitalised for another reason."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word

_NOUN_ENDINGS = (
    "ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "tion", "tionen", "tät",
    "täten", "ismus", "nis", "nisse", "ment", "mente", "chen", "lein", "ling", "linge",
)  # fmt: skip
_CONTRACTED = frozenset({"am", "beim", "im", "ins", "vom", "zum", "zur"})
_INFLECTED = ("e", "en", "er", "es", "em")


class Cases(NamedTuple):
    """Words (in lower case) of a chunk by how it writes them.

    `lower`: in lower case; `capital`: capitalised inside a sentence; `heads`: those of them that begin a
    name; `labels`: before the colon of several lines, like the speakers of a chat; `nouns`: German nouns
    that behave like common ones.
    """

    lower: frozenset[str]
    capital: frozenset[str]
    heads: frozenset[str]
    labels: frozenset[str]
    nouns: frozenset[str]


def cases_of(sentences: Iterable[Sequence[Word]], lexicon: Lexicon) -> Cases:
    """Return how `sentences` write their words."""
    lower: set[str] = set()
    capital: set[str] = set()
    heads: set[str] = set()
    nouns: set[str] = set()
    labels: Counter[str] = Counter()
    german = lexicon.code == "de"
    for sentence in sentences:
        for index, word in enumerate(sentence):
            if not word.capital:
                lower.add(word.lower)
                continue
            if german and _is_common(sentence, index, lexicon):
                nouns.add(word.lower)
            if not is_initial(sentence, index):
                capital.add(word.lower)
                if word.gap != " " or not sentence[index - 1].capital:
                    heads.add(word.lower)
            elif word.label:
                labels[word.lower] += 1
    repeated = frozenset(word for word, times in labels.items() if times > 1)
    return Cases(frozenset(lower), frozenset(capital), frozenset(heads), repeated, frozenset(nouns))


def is_initial(sentence: Sequence[Word], index: int) -> bool:
    """Tell whether a capital at `index` may mean only that a sentence begins."""
    return index == 0 or ":" in sentence[index].gap


def _is_common(sentence: Sequence[Word], index: int, lexicon: Lexicon) -> bool:
    """Tell whether a German noun has the ending of a common one, or an article or adjective before it.

    A limit: names with an article ("die Schweiz") count as common, plain nouns without one as names.
    """
    if sentence[index].lower.endswith(_NOUN_ENDINGS):
        return True
    if index == 0 or sentence[index].gap != " ":
        return False
    before = sentence[index - 1]
    if before.lower in lexicon.functions:
        determines = before.lower.startswith(("dies", "jed", "kein", "mein", "sein", "ihr", "welch"))
        return determines or before.lower in words.articles("de") or before.lower in _CONTRACTED
    return not before.capital and before.lower.endswith(_INFLECTED)
