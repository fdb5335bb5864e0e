"""The one normaliser: what a word is, for chunks, tags and questions alike.

Folding makes spellings equal: compatibility forms (NFKD), marks after Latin, Greek, Cyrillic, Arabic and
Hebrew letters (``Malmö`` = ``Malmo``), case. Three decisions, the same at writing and at asking, in every
language: ``I``, ``İ``, ``ı`` and ``i`` are one letter, so are the likes of ``ł`` and ``l``; and Cyrillic
``й``, ``ї``, ``ў`` are letters of their own, which stemmers need. Scripts without spaces are cut by a
segmenter where one is installed, else into pairs of neighbouring characters.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import threading
import unicodedata
import warnings
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from bamboo_neo4j import words
from bamboo_neo4j.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RULES = "1"
"""Version of the rules in this module. A change of what any text normalises to is a new version."""

SEPARATOR = "|"
"""A token that is no term; it keeps words of different parts from being neighbours."""

MAX_TERM = 64
"""Longest term and key part in characters: a longer run is base64, a hash or a URL, not a word."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: as written, folded, stemmed, and where it stands (``text == source[start:end]``)."""

    text: str
    folded: str
    stem: str
    start: int
    end: int


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
        self._algorithm = _ALGORITHMS.get(language, "")
        self._stemmer = _stemmer(self._algorithm) if self._algorithm else None
        self._segment: Callable[[str], Iterator[tuple[int, int]]] = (
            _segmented if language == "zh" and find_spec("jieba") else _pairs
        )
        self.segments = self._segment is not _pairs
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
        for match in _pattern().finditer(text):
            word, start = match[1], match.start()
            for part in self._analyse(word):
                span = start + part.start, start + part.end
                found.append(Token(word[part.start : part.end], part.folded, part.stem, *span))
        return found

    def terms(self, text: str) -> list[str]:
        """Return the stems of `text` in order, without function words and without endless runs."""
        return [
            part.stem
            for match in _pattern().finditer(text)
            for part in self._analyse(match[1])
            if part.folded not in self.function_words and len(part.stem) <= MAX_TERM
        ]

    def key(self, tag: str) -> str:
        """Return what `tag` is matched on: its stems joined by a space; "" if it holds no word.

        A leading article goes, unless nothing but function words would be left (``The Who``).
        """
        runs = [tag] if tag.isalnum() else [match[1] for match in _pattern().finditer(tag)]
        parts = [part for run in runs for part in self._analyse(run)]
        if len(parts) > 1 and parts[0].folded in self._articles:
            rest = parts[1:]
            if any(part.folded not in self.function_words for part in rest):
                parts = rest
        return " ".join([part.stem for part in parts])

    def name(self, tag: str) -> str:
        """Return the spelling of `tag` that people search for: folded words, unstemmed, joined by a space.

        Runs without spaces stay whole, and an article stays.
        """
        return " ".join(
            [folded for match in _pattern().finditer(tag) for _, _, folded, _ in _split(match[1])]
        )

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
        for start, end, folded, unspaced in _split(word):
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
    code = language.strip().lower().replace("_", "-").partition("-")[0]
    code = _NAMES.get(code, code)
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise UsageError(f"{language!r} is no language", hint="use an ISO 639 code such as en, de or pt-BR")
    return _of(code)


_of = cache(Normaliser)


def chunk_terms(normaliser: Normaliser, title: str, text: str) -> tuple[str, int]:
    """Return the terms of a chunk as one string and their number: the title's twice, then the text's.

    Parts are set apart by SEPARATOR, which is not counted.
    """
    heading, body = normaliser.terms(title), normaliser.terms(text)
    parts = [part for part in (heading, heading, body) if part]
    return f" {SEPARATOR} ".join(map(" ".join, parts)), sum(map(len, parts))


# Folding.

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
    """Return `word` without the differences that spelling the same word may have (see the module)."""
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


# Splitting.

_REMEMBERED = 200_000
"""Runs whose analysis is kept; about 50 MB when full."""

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


class _Part(NamedTuple):
    start: int
    end: int
    folded: str
    stem: str


@cache
def _pattern() -> re.Pattern[str]:
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


def _split(word: str) -> Iterator[tuple[int, int, str, bool]]:
    """Split a run at underscores, changes of script and humps into (start, end, folded, without spaces)."""
    if _SIMPLE.fullmatch(word):
        yield 0, len(word), word.lower(), False
    elif "." in word:
        yield from ((0, len(word), *words) for words in _words(fold(word.replace(".", ""))))
    else:
        for piece in _PIECES.finditer(word):
            start, end = piece.span()
            humps = () if _is_unspaced(word[start]) else _humps(piece[0])
            for first, last in pairwise([start, *(start + hump for hump in humps), end]):
                yield from ((first, last, *words) for words in _words(fold(word[first:last])))


def _words(folded: str) -> Iterator[tuple[str, bool]]:
    """Split once more where folding brought up separators (``½``) or another script."""
    if folded.isalnum() and folded.isascii():
        yield folded, False
        return
    for match in _pattern().finditer(folded):
        for piece in _PIECES.finditer(match[1].replace(".", "")):
            yield piece[0], _is_unspaced(piece[0][0])


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
def _is_unspaced(character: str) -> bool:
    return re.match(f"[{UNSPACED}]", character) is not None


def _pairs(run: str) -> Iterator[tuple[int, int]]:
    """Give the spans of neighbouring characters, two by two; marks belong to the character before them."""
    starts = [index for index, character in enumerate(run) if not index or not _is_mark(character)]
    ends = [*starts[1:], len(run)]
    if len(starts) == 1:
        yield 0, len(run)
    yield from zip(starts, ends[1:], strict=False)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in "\uff9e\uff9f"


def _segmented(run: str) -> Iterator[tuple[int, int]]:
    """Give the spans of the words that jieba finds."""
    return ((start, end) for _, start, end in _jieba().tokenize(run))


class _Segmenter(Protocol):
    def tokenize(self, text: str) -> Iterator[tuple[str, int, int]]: ...
    def setLogLevel(self, level: str) -> None: ...  # noqa: N802


@cache
def _jieba() -> _Segmenter:
    with warnings.catch_warnings(action="ignore"):  # it is an old package
        jieba = cast("_Segmenter", importlib.import_module("jieba"))
    jieba.setLogLevel("WARNING")
    return jieba


# Languages.

_ALGORITHMS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "fa": "persian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_NAMES = {name: code for code, name in _ALGORITHMS.items()} | {
    "nb": "no", "nn": "no", "chinese": "zh", "japanese": "ja", "korean": "ko", "thai": "th", "hebrew": "he",
    "ukrainian": "uk", "bulgarian": "bg", "croatian": "hr", "slovak": "sk", "slovenian": "sl",
    "vietnamese": "vi", "bengali": "bn", "urdu": "ur", "latin": "la",
    "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt",
    "rus": "ru", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "nld": "nl", "dut": "nl", "tur": "tr",
    "ara": "ar", "pol": "pl", "swe": "sv", "nob": "no", "nor": "no", "dan": "da", "fin": "fi", "ces": "cs",
}  # fmt: skip


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


def _stemmer(algorithm: str) -> _Stemmer:
    # Not snowballstemmer.stemmer(): that one prefers PyStemmer where it is installed, whose stems may differ.
    module = importlib.import_module(f"snowballstemmer.{algorithm}_stemmer")
    stemmer: _Stemmer = getattr(module, f"{algorithm.capitalize()}Stemmer")()
    return stemmer
