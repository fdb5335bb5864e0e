"""What a chunk offers as tags: dates, names, phrases, each with a weight and a place."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.memorise.rules import dates, names, phrases, reading, unspaced
from bamboo_neo4j.memorise.rules.cases import cases_of
from bamboo_neo4j.memorise.rules.lexicon import lexicon_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.cases import Cases
    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Kind

ALIAS = 0.95
"""Factor of the weight of "first last" beside the name of three or four words that it shortens."""


class Proposal(NamedTuple):
    """One mention of a possible tag; `start` is its place in the text read.

    A `part` counts beside the whole: a year beside its date, "London" beside "Tower of London".
    """

    display: str
    kind: Kind
    weight: float
    start: int
    part: bool = False


def proposals(text: str, *, title: str, normaliser: Normaliser) -> Iterator[Proposal]:
    """Give all mentions of possible tags in the title and the text, in no order."""
    body = reading.plain(text)
    whole = f"{reading.plain(title)}{reading.BREAK}{body}" if title else body
    if reading.unspaced().search(whole):
        for piece, weight, start in unspaced.pieces(whole, normaliser=normaliser):
            yield Proposal(piece, "entity", weight, start)
        whole = reading.unspaced().sub(reading.PAUSE, whole)
    read = [(start, text, reading.words(text, start)) for start, text in reading.sentences(whole)]
    lexicon = lexicon_of((word.lower for _, _, words in read for word in words), normaliser.language)
    cases = cases_of((words for _, _, words in read), lexicon)
    for start, sentence, words in read:
        if words:
            yield from _of_sentence(sentence, words, start, cases, lexicon)


def _of_sentence(
    sentence: str, words: Sequence[Word], base: int, cases: Cases, lexicon: Lexicon
) -> Iterator[Proposal]:
    found = list(dates.dates(sentence, words))
    for date in found:
        if date.weight:
            yield Proposal(date.text, "date", date.weight, base + date.start, part=date.weight == dates.YEAR)
    free = dates.outside(words, found, base)
    yield from _names(free, cases, lexicon)
    for phrase in phrases.quoted(sentence, lexicon=lexicon):
        kind: Kind = "entity" if phrase.display[0].isupper() else "phrase"
        yield Proposal(phrase.display, kind, phrase.weight, base + phrase.start)
    for phrase in phrases.phrases(free, lexicon=lexicon):
        yield Proposal(phrase.display, "phrase", phrase.weight, phrase.start, phrase.part)


def _names(words: Sequence[Word], cases: Cases, lexicon: Lexicon) -> Iterator[Proposal]:
    before = {after.start: word for word, after in pairwise(words)}
    for name in names.names(words, cases=cases, lexicon=lexicon):
        kind: Kind = "phrase" if name.common else "entity"
        yield Proposal(name.display, kind, name.weight, name.start, part=name.part)
        short = names.alias(name, before=before.get(name.start), cases=cases, lexicon=lexicon)
        if short:
            yield Proposal(short, "entity", name.weight * ALIAS, name.start, part=True)
