"""Names: spans of capitalised words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word

NAME = 2.0
PER_WORD = 0.2
COUNTED = 4
"""Weight of a name: 2.0 + 0.2 a word, up to four."""
DOUBTFUL = 1.1
"""Weight of one capitalised word that was seen at the head of sentences only."""
PART = 1.5
"""Weight of one word between link words ("London" of "Tower of London")."""
LONGEST = 8
"""Words of a name; a longer span is a heading in capitals."""

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_NUMBER = re.compile(r"\d{1,3}")
_POSSESSIVE = re.compile(r"['’]s?$")
_SHORTENED = frozenset({"st", "mt", "ft", "ste"})


class Name(NamedTuple):
    """A name in a text: its words, its weight, where it starts."""

    words: tuple[str, ...]
    weight: float
    start: int

    @property
    def display(self) -> str:
        """The name as written, without a possessive ending."""
        return " ".join(self.words)


class Cases(NamedTuple):
    """Words of a chunk that were seen in lower case, and those seen capitalised inside a sentence."""

    lower: frozenset[str]
    capital: frozenset[str]


def names(sentence: Sequence[Word], *, cases: Cases, lexicon: Lexicon) -> Iterator[Name]:
    """Give the names of one sentence, and the names inside them."""
    if _shouts(sentence):
        return
    for first, last in _spans(sentence):
        span = _trimmed(sentence, first, last, cases, lexicon)
        if span:
            yield from _weighed(
                span, cases, initial=_is_initial(sentence, first) and span[0] is sentence[first]
            )


def _shouts(sentence: Sequence[Word]) -> bool:
    letters = [word for word in sentence if word.lower != word.text.upper()]
    return len(letters) > 3 and all(word.text.isupper() for word in letters)  # noqa: PLR2004


def _spans(sentence: Sequence[Word]) -> Iterator[tuple[int, int]]:
    index = 0
    while index < len(sentence):
        if _starts(sentence, index):
            end = _end(sentence, index)
            yield index, end
            index = end
        else:
            index += 1


def _starts(sentence: Sequence[Word], index: int) -> bool:
    word = sentence[index]
    if word.capital:
        return word.text != "I"
    if not word.text[0].isdigit() or not _joined(sentence, index + 1) or not sentence[index + 1].capital:
        return False
    if _ORDINAL.fullmatch(word.text):
        return True
    named = index > 0 and sentence[index - 1].lower == "the" and word.gap == " "
    return named and _YEAR.fullmatch(word.text) is not None


def _joined(sentence: Sequence[Word], index: int) -> bool:
    """Tell whether the word at `index` stands beside the one before it, with nothing between."""
    if index >= len(sentence):
        return False
    gap = sentence[index].gap
    return gap == " " or (gap == ". " and sentence[index - 1].lower in _SHORTENED) or gap == " & "


def _end(sentence: Sequence[Word], first: int) -> int:
    links = words.name_links()
    end = index = first + 1
    while _joined(sentence, index):
        if sentence[index].capital or _NUMBER.fullmatch(sentence[index].text):
            end = index = index + 1
            continue
        after = index
        while after - index < 3 and _joined(sentence, after) and sentence[after].lower in links:  # noqa: PLR2004
            after += 1
        if after == index or not _joined(sentence, after) or not sentence[after].capital:
            break
        end = index = after + 1
    return end


def _is_initial(sentence: Sequence[Word], index: int) -> bool:
    return index == 0 or ":" in sentence[index].gap


def _trimmed(
    sentence: Sequence[Word], first: int, last: int, cases: Cases, lexicon: Lexicon
) -> Sequence[Word]:
    """Take off what is capitalised only because a sentence begins there."""
    span = sentence[first:last]
    if span[0].lower == "the" and len(span) > 1:
        rest = span[1:]
        return span if all(word.lower in lexicon.functions for word in rest) else rest
    if not _is_initial(sentence, first) or any(map(str.isupper, span[0].text[1:])):
        return span
    opener = span[0].lower
    if opener in lexicon.functions or (lexicon.opens(opener) and opener not in cases.capital):
        return _without_links(span[1:])
    if len(span) > 2 and opener in cases.lower and opener not in cases.capital:  # noqa: PLR2004
        return _without_links(span[1:])
    return span


def _without_links(span: Sequence[Word]) -> Sequence[Word]:
    while span and not span[0].capital:
        span = span[1:]
    return span


def _weighed(span: Sequence[Word], cases: Cases, *, initial: bool) -> Iterator[Name]:
    if len(span) == 1:
        yield from _single(span[0], cases, initial=initial)
        return
    if len(span) <= LONGEST:
        yield _name(span)
    for part in _parts(span):
        if len(part) > 1:
            yield _name(part)
        elif len(part[0].text) > 1 and not part[0].text.isdigit():
            yield _name(part, PART)


def _single(word: Word, cases: Cases, *, initial: bool) -> Iterator[Name]:
    plain = word.text[1:].islower()
    if len(_bare(word.text)) < 2:  # noqa: PLR2004
        return
    if not initial or not plain or word.lower in cases.capital:
        yield _name((word,))
    elif word.lower not in cases.lower:
        yield _name((word,), DOUBTFUL)


def _name(span: Sequence[Word], weight: float = 0.0) -> Name:
    texts = [*(word.text for word in span[:-1]), _bare(span[-1].text)]
    return Name(tuple(texts), weight or NAME + PER_WORD * min(len(texts), COUNTED), span[0].start)


def _bare(text: str) -> str:
    return _POSSESSIVE.sub("", text)


def _parts(span: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Give what stands between link words, and before and after a possessive."""
    cuts = [index for index, word in enumerate(span) if not word.capital and not word.text[0].isdigit()]
    pieces = []
    start = 0
    for cut in [*cuts, len(span)]:
        if cut > start:
            pieces.append(span[start:cut])
        start = cut + 1
    for piece in pieces:
        owned = next((i + 1 for i, word in enumerate(piece[:-1]) if word.text.endswith(("'s", "’s"))), 0)
        if owned:
            yield piece[:owned]
            yield piece[owned:]
        elif cuts:
            yield piece
