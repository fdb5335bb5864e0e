"""The one normaliser: what a word is, for chunks, tags and questions alike.

Folding makes spellings equal: compatibility forms (NFKD), marks after Latin, Greek, Cyrillic, Arabic and
Hebrew letters (``Malmö`` = ``Malmo``), case. Three decisions, the same at writing and at asking, in every
language: ``I``, ``İ``, ``ı`` and ``i`` are one letter, so are the likes of ``ł`` and ``l``; and Cyrillic
``й``, ``ї``, ``ў`` are letters of their own, which stemmers need. Scripts without spaces are cut by a
segmenter where one is installed, else into pairs of neighbouring characters.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words
from bamboo_neo4j.normalise.folding import fold
from bamboo_neo4j.normalise.languages import ALGORITHMS, code_of, stemmer_of
from bamboo_neo4j.normalise.segmenting import pairs, segmented
from bamboo_neo4j.normalise.splitting import UNSPACED, combining_marks, runs, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "MAX_TERM",
    "SEPARATOR",
    "UNSPACED",
    "Normaliser",
    "Token",
    "chunk_terms",
    "combining_marks",
    "fold",
    "normaliser",
]

RULES = "1"
"""Version of the rules in this package. A change of what any text normalises to is a new version."""

SEPARATOR = "|"
"""A token that is no term; it keeps words of different parts from being neighbours."""

MAX_TERM = 64
"""Longest term and key part in characters: a longer run is base64, a hash or a URL, not a word."""


_REMEMBERED = 200_000
"""Runs whose analysis is kept; about 50 MB when full."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: as written, folded, stemmed, and where it stands (``text == source[start:end]``)."""

    text: str
    folded: str
    stem: str
    start: int
    end: int


class _Part(NamedTuple):
    start: int
    end: int
    folded: str
    stem: str


class Normaliser:
    """The normaliser of one language; get it with `normaliser`.

    `language` is the ISO 639-1 code where there is one. `fingerprint` is a digest of everything that
    decides what a text normalises to: a memory written with another one must be indexed anew. `segments`
    tells whether a segmenter finds words in scripts without spaces.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.function_words = frozenset(map(fold, words.function_words(language)))
        self._articles = frozenset(map(fold, words.articles(language)))
        self._algorithm = ALGORITHMS.get(language, "")
        self._stemmer = stemmer_of(self._algorithm) if self._algorithm else None
        self._segment: Callable[[str], Iterator[tuple[int, int]]] = (
            segmented if language == "zh" and find_spec("jieba") else pairs
        )
        self.segments = self._segment is not pairs
        self._parts: dict[str, tuple[_Part, ...]] = {}
        self._lock = threading.Lock()

    @cached_property
    def generic_stems(self) -> frozenset[str]:
        """Stems of the words that say little though they are no function words ("first", "world")."""
        long = frozenset(map(fold, words.stop_words(self.language))) - self.function_words
        stems = (part.stem for word in long for part in self._analyse(word))
        return frozenset(stems) - self.function_words

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits over rules, stemmer, segmenter and word lists."""
        segmenter = f"jieba {metadata.version('jieba')}" if self.segments else "pairs"
        stemmer = f"{self._algorithm} {metadata.version('snowballstemmer')}" if self._algorithm else ""
        lists = (self.function_words, self._articles, words.stop_words(self.language))
        recipe = [RULES, self.language, stemmer, segmenter, *(" ".join(sorted(names)) for names in lists)]
        return hashlib.sha256("\n".join(recipe).encode()).hexdigest()[:12]

    def tokens(self, text: str) -> list[Token]:
        """Return the words of `text` in order.

        ``don't`` gives ``don`` and ``t``, ``Ada's`` gives ``Ada``, ``U.S.`` gives ``us``, ``LiHua`` gives
        ``li`` and ``hua``; a run without spaces gives overlapping pairs of characters.
        """
        found = []
        for match in runs().finditer(text):
            word, start = match[1], match.start()
            for part in self._analyse(word):
                span = start + part.start, start + part.end
                found.append(Token(word[part.start : part.end], part.folded, part.stem, *span))
        return found

    def terms(self, text: str) -> list[str]:
        """Return the stems of `text` in order, without function words and without endless runs."""
        return [
            part.stem
            for match in runs().finditer(text)
            for part in self._analyse(match[1])
            if part.folded not in self.function_words and len(part.stem) <= MAX_TERM
        ]

    def key(self, tag: str) -> str:
        """Return what `tag` is matched on: its stems joined by a space; "" if it holds no word.

        A leading article goes, unless nothing but function words would be left (``The Who``).
        """
        found = [tag] if tag.isalnum() else [match[1] for match in runs().finditer(tag)]
        parts = [part for run in found for part in self._analyse(run)]
        if len(parts) > 1 and parts[0].folded in self._articles:
            rest = parts[1:]
            if any(part.folded not in self.function_words for part in rest):
                parts = rest
        return " ".join([part.stem for part in parts])

    def name(self, tag: str) -> str:
        """Return the spelling of `tag` that people search for: folded words, unstemmed, joined by a space.

        Runs without spaces stay whole, and an article stays.
        """
        return " ".join([folded for match in runs().finditer(tag) for _, _, folded, _ in split(match[1])])

    def is_function_word(self, folded: str) -> bool:
        """Tell whether a folded word is a function word, which is no term."""
        return folded in self.function_words

    def is_generic(self, word: str) -> bool:
        """Tell whether a folded word or a stem says little though it is no function word."""
        return word in self.generic_stems

    def _analyse(self, word: str) -> tuple[_Part, ...]:
        """Split one run of the pattern into its words, each with its stem; common runs are remembered."""
        parts = self._parts.get(word)
        if parts is None:
            parts = tuple(self._cut(word))
            if len(word) <= MAX_TERM:
                if len(self._parts) >= _REMEMBERED:
                    self._parts.clear()
                self._parts[word] = parts
        return parts

    def _cut(self, word: str) -> Iterator[_Part]:
        for start, end, folded, unspaced in split(word):
            if not unspaced:
                yield _Part(start, end, folded, self._stem(folded))
                continue
            aligned = len(folded) == end - start
            for first, last in self._segment(folded):
                span = (start + first, start + last) if aligned else (start, end)
                yield _Part(*span, folded[first:last], folded[first:last])

    def _stem(self, folded: str) -> str:
        if self._stemmer is None or len(folded) > MAX_TERM or not folded[-1].isalpha():
            return folded
        with self._lock:  # a stemmer keeps its state in itself
            return fold(self._stemmer.stemWord(folded)) or folded


@cache
def normaliser(language: str) -> Normaliser:
    """Return the normaliser of `language`: an ISO code ("de", "pt-BR"), or an English name ("german").

    A language without a stemmer has its words folded only. Raises UsageError if `language` is no code.
    """
    return _of(code_of(language))


_of = cache(Normaliser)


def chunk_terms(normaliser: Normaliser, title: str, text: str) -> tuple[str, int]:
    """Return the terms of a chunk as one string and their number: the title's twice, then the text's.

    Parts are set apart by SEPARATOR, which is not counted.
    """
    heading, body = normaliser.terms(title), normaliser.terms(text)
    parts = [part for part in (heading, heading, body) if part]
    return f" {SEPARATOR} ".join(map(" ".join, parts)), sum(map(len, parts))
