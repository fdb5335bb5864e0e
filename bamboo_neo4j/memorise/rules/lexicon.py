"""The words of the language a chunk is written in, whatever the language of its memory."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterable

SURER, MORE = 1.3, 4
"""Another language than the memory's is assumed where its function words are so much more frequent."""


_GERMAN_LINKS = frozenset({"von", "van", "de", "zu", "zur", "zum", "of", "the"})
"""In German the other links stand between common nouns, which have capitals, too."""

_CONTRACTED = re.compile(r"['’](?:s|t|ll|re|ve|d|m)$")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`functions` are the function words of a language, `stops` they and all that say little.

    `links` are the words in lower case that may stand inside a name.
    """

    code: str
    functions: frozenset[str]
    stops: frozenset[str]
    links: frozenset[str]

    def is_stop(self, lower: str) -> bool:
        """Tell whether `lower` says little: a stop word, or short for one ("can’t", "qu'")."""
        return lower in self.stops or lower[-1] in "'’" or _CONTRACTED.sub("", lower) in self.functions

    def opens(self, lower: str) -> bool:
        """Tell whether a capital on `lower` at the head of a sentence means nothing: "However", "During"."""
        if lower in words.name_starters():
            return lower in self.functions
        return lower in words.openers() or self.is_stop(lower)


def lexicon_of(lowered: Iterable[str], language: str) -> Lexicon:
    """Return the lexicon of the language of `lowered` words: `language`, unless another fits better."""
    known = words.languages()
    votes = Counter(code for word in lowered for code in known.get(word, ()))
    best = min(votes, key=lambda code: (-votes[code], code), default=language)
    fits = votes[best] >= votes[language] + MORE and votes[best] > SURER * votes[language]
    return _lexicon(best if fits else language)


@cache
def _lexicon(code: str) -> Lexicon:
    functions = frozenset(word.lower() for word in words.function_words(code))
    stops = frozenset(word.lower() for word in words.stop_words(code))
    links = _GERMAN_LINKS if code == "de" else words.name_links()
    return Lexicon(code, functions, stops | functions, links)
