"""Phrases: runs of words in lower case between stop words, and what is quoted."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.memorise.rules import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word

PHRASE = 1.0
PER_WORD = 0.2
LONGEST = 3
SINGLE = 0.75
PAIR = 0.8
"""Weights: 1.0 + 0.2 for each further word up to three; one word 0.75; two words of a longer run 0.8.

A run of four words or more mostly has a verb in it, so that only its pairs are worth keeping.
"""
SHORTEST = 3
"""Letters of a word of a cased script that may be a phrase or begin one."""


class Phrase(NamedTuple):
    """A phrase in a text: as written, its weight, where it starts; a `part` of a run too long to be one."""

    display: str
    weight: float
    start: int
    part: bool = False


def phrases(sentence: Sequence[Word], *, lexicon: Lexicon) -> Iterator[Phrase]:
    """Give the runs of up to three words without a stop word, and the pairs inside longer ones."""
    run: list[Word] = []
    for word in sentence:
        fits = _fits(word, lexicon)
        if run and (not fits or word.gap != " "):
            yield from _of(run)
            run = []
        if fits:
            run.append(word)
    if run:
        yield from _of(run)


def _fits(word: Word, lexicon: Lexicon) -> bool:
    text = word.text
    if word.capital or lexicon.is_stop(word.lower):
        return False
    if text.isalpha():
        return len(text) >= SHORTEST or (text.lower() == text.upper() and len(text) > 1)
    return _COMPOUND.fullmatch(text) is not None


_COMPOUND = re.compile(r"[^\W\d_][^\d_.&]{2,39}")
"""A word of letters with marks, hyphens or apostrophes; no code."""


def _of(run: Sequence[Word]) -> Iterator[Phrase]:
    if len(run) == 1:
        yield Phrase(run[0].text, SINGLE, run[0].start)
        return
    if len(run) <= LONGEST:
        display = " ".join(word.text for word in run)
        yield Phrase(display, PHRASE + PER_WORD * (len(run) - 1), run[0].start)
    if len(run) > 2:  # noqa: PLR2004
        for first, second in pairwise(run):
            yield Phrase(f"{first.text} {second.text}", PAIR, first.start, part=len(run) > LONGEST)


_QUOTED = re.compile(r"[\"“«„]([^\"“”«»„\n]{2,60})[\"”“»]")
LONGEST_TERM = 3
QUOTED = 1.2
"""Weight of words in lower case in quotation marks or as code; capitalised ones are a title, so a name."""


def quoted(text: str, *, lexicon: Lexicon) -> Iterator[Phrase]:
    """Give what `text` puts in quotation marks: titles (at most eight words), terms, commands; no speech."""
    for match in _QUOTED.finditer(text):
        inner = match[1].strip(" ,.;:!?")
        if not _TERM.fullmatch(inner):
            continue
        weight = _weight(inner.split(), lexicon)
        if weight:
            yield Phrase(inner, weight, match.start(1))


_TERM = re.compile(r"[^\W\d_][\w.+#'’-]*(?:[:,!?]? [\w.+#'’&-]+){0,7}")


def _weight(words: list[str], lexicon: Lexicon) -> float:
    content = [word for word in words if word.lower() not in lexicon.functions] or words
    capitals = sum(word[0].isupper() or word[0].isdigit() for word in content)
    if words[0][0].isupper() and 2 * capitals >= len(content) and len(words[0]) > 1:
        return names.NAME + names.PER_WORD * min(len(words), names.COUNTED)
    return QUOTED if len(words) <= LONGEST_TERM and not capitals else 0.0
