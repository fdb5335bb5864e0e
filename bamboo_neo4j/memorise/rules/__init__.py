"""The rule tagger: names, dates and phrases as the text writes them; no model, the same every time.

The five rules and their weights come from trials on paragraphs of an encyclopedia, where the first twelve
tags found seven of ten names and terms that a reader would link by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.memorise.rules import dates, names, phrases, reading, unspaced
from bamboo_neo4j.memorise.rules.lexicon import lexicon_of
from bamboo_neo4j.memorise.rules.primary import subjects
from bamboo_neo4j.memorise.tag_list import MOST_BYTES, clean, too_long
from bamboo_neo4j.normalise import MAX_TERM
from bamboo_neo4j.records import Kind, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word
    from bamboo_neo4j.normalise import Normaliser

RULES = "1"
"""Version of these rules; a change of any tag is a new version."""

FEWEST, MOST = 12, 24
FEW_TOKENS, MANY_TOKENS = 200, 1_200
"""Tags a chunk: 12 up to 200 tokens, growing to 24 at 1,200. Pairs grow by the square."""
REPETITION, EARLINESS = 0.5, 0.2
"""Score = weight x (1 + 0.5 ln tf) x (1 + 0.2 x earliness), earliness from 1 at the head to 0 at the end."""
ALIAS = 0.95
"""Factor of the score of "first last" beside the name of three or four words that it shortens."""


def tag_limit(tokens: int) -> int:
    """Return how many tags a chunk of `tokens` tokens gets: 12 to 24."""
    share = (tokens - FEW_TOKENS) / (MANY_TOKENS - FEW_TOKENS)
    return FEWEST + round((MOST - FEWEST) * min(1.0, max(0.0, share)))


def make_tag(
    display: str, *, kind: Kind, salience: float, normaliser: Normaliser, about: bool = False
) -> Tag | None:
    """Return the tag spelled `display`; None if it holds no word or is too long (characters, bytes)."""
    display = clean(display)
    if too_long(display):
        return None
    key = normaliser.key(display)
    name = normaliser.name(display)
    if not key or any(len(part) > MAX_TERM for part in key.split()):
        return None
    if len(name.encode()) > MOST_BYTES:
        return None
    return Tag(key, name, display, kind, salience, about)


def primary_tags(text: str, *, title: str, normaliser: Normaliser) -> tuple[Tag, ...]:
    """Return what a chunk is about: its title, with and without "(…)"; without a title, its lead."""
    made = (
        make_tag(spelling, kind="entity", salience=1.0, normaliser=normaliser, about=True)
        for spelling in subjects(text, title=title, language=normaliser.language)
    )
    return tuple({tag.key: tag for tag in made if tag}.values())


def tag_chunk(
    text: str, *, title: str, normaliser: Normaliser, tokens: int, limit: int | None = None
) -> tuple[Tag, ...]:
    """Return the tags of a chunk of `tokens` tokens: its primary ones, then the strongest, one a key.

    At most `limit` tags, or as many as `tag_limit` allows; the primary ones are always among them.
    """
    primary = primary_tags(text, title=title, normaliser=normaliser)
    most = tag_limit(tokens) if limit is None else limit
    length = max(1, len(title) + len(text))
    found = _collect(_proposals(text, title, normaliser.language), normaliser, length)
    known = {tag.key for tag in primary}
    ranked = sorted(
        (each for each in found if each.key not in known), key=lambda each: (-each.score, each.display)
    )
    kept = _distinct(ranked, most - len(primary))
    top = kept[0].score if kept else 1.0
    made = (
        make_tag(each.display, kind=each.kind, salience=round(each.score / top, 4), normaliser=normaliser)
        for each in kept
    )
    return (*primary, *(tag for tag in made if tag))


class _Proposal(NamedTuple):
    display: str
    kind: Kind
    weight: float
    start: int
    alias: bool = False


@dataclass(slots=True)
class _Candidate:
    key: str
    display: str
    kind: Kind
    weight: float
    start: int
    alias: bool
    count: int = 0
    score: float = 0.0


def _proposals(text: str, title: str, language: str) -> Iterator[_Proposal]:
    body = reading.plain(text)
    whole = f"{title}{reading.BREAK}{body}" if title else body
    if reading.unspaced().search(whole):
        for piece, weight, start in unspaced.pieces(whole):
            yield _Proposal(piece, "entity", weight, start)
        whole = reading.unspaced().sub(r" ", whole)
    read = [(sentence, reading.words(sentence, start)) for start, sentence in reading.sentences(whole)]
    lexicon = lexicon_of((word.lower for _, words in read for word in words), language)
    cases = _cases(words for _, words in read)
    for sentence, words in read:
        yield from _of_sentence(sentence, words, cases, lexicon)


def _cases(sentences: Iterator[list[Word]]) -> names.Cases:
    lower, capital = set(), set()
    for words in sentences:
        for index, word in enumerate(words):
            if not word.capital:
                lower.add(word.text)
            elif index and ":" not in word.gap:
                capital.add(word.lower)
    return names.Cases(frozenset(lower), frozenset(capital))


def _of_sentence(
    sentence: str, words: Sequence[Word], cases: names.Cases, lexicon: Lexicon
) -> Iterator[_Proposal]:
    if not words:
        return
    base = words[0].start - len(sentence) + len(sentence.lstrip())
    busy = []
    for start, end, date, weight in dates.dates(sentence, (word.lower for word in words)):
        yield _Proposal(date, "date", weight, base + start)
        if weight == dates.FULL:
            busy.append((base + start, base + end))
    free = _outside(words, busy) if busy else words
    for name in names.names(free, cases=cases, lexicon=lexicon):
        yield _Proposal(name.display, "entity", name.weight, name.start)
        if 3 <= len(name.words) <= 4 and all(map(_is_plain, name.words)):  # noqa: PLR2004
            yield _Proposal(
                f"{name.words[0]} {name.words[-1]}", "entity", name.weight * ALIAS, name.start, alias=True
            )
    for phrase in phrases.quoted(sentence):
        titled = phrase.display[0].isupper()
        weight = names.NAME + names.PER_WORD * min(phrase.display.count(" ") + 1, names.COUNTED)
        kind: Kind = "entity" if titled else "phrase"
        yield _Proposal(phrase.display, kind, weight if titled else phrase.weight, base + phrase.start)
    for phrase in phrases.phrases(free, lexicon=lexicon):
        yield _Proposal(phrase.display, "phrase", phrase.weight, phrase.start)


def _is_plain(word: str) -> bool:
    return word[0].isupper() and len(word) > 2 and word.isalpha()  # noqa: PLR2004


def _outside(words: Sequence[Word], busy: Sequence[tuple[int, int]]) -> list[Word]:
    """Leave out the words of full dates; what stood around them is not joined."""
    kept: list[Word] = []
    cut = False
    for word in words:
        if any(start <= word.start < end for start, end in busy):
            cut = True
            continue
        kept.append(word._replace(gap=",") if cut else word)
        cut = False
    return kept


def _collect(proposals: Iterator[_Proposal], normaliser: Normaliser, length: int) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    for each in proposals:
        key = normaliser.key(each.display)
        if not key:
            continue
        known = found.get(key)
        if known is None:
            found[key] = known = _Candidate(key, each.display, each.kind, each.weight, each.start, each.alias)
        elif each.weight > known.weight:
            known.display, known.kind, known.weight = each.display, each.kind, each.weight
        known.alias = known.alias and each.alias
        known.start = min(known.start, each.start)
        known.count += 1
    for one in found.values():
        times = 1.0 + REPETITION * math.log(one.count)
        one.score = one.weight * times * (1.0 + EARLINESS * (1.0 - one.start / length))
    return list(found.values())


def _distinct(ranked: Sequence[_Candidate], most: int) -> list[_Candidate]:
    """Keep the best, without those that stand only inside a better one."""
    kept: list[_Candidate] = []
    for each in ranked:
        if len(kept) >= most:
            break
        inside = f" {each.key} "
        if each.alias or not any(inside in f" {other.key} " and each.count <= other.count for other in kept):
            kept.append(each)
    return kept
