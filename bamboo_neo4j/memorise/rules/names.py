"""Names: spans of capitalised words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words
from bamboo_neo4j.memorise.rules.cases import is_initial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.cases import Cases
    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word

NAME = 2.0
PER_WORD = 0.2
COUNTED = 4
"""Weight of a name: 2.0 + 0.2 a word, up to four."""
DOUBTFUL = 1.1
"""Weight of one capitalised word that was seen at the head of sentences only."""
PART = 1.0
"""Weight of one word between link words ("London" of "Tower of London")."""
NOUN = 1.0
"""Weight of a common noun where nouns are capitalised; it is a phrase."""
LONGEST = 8
"""Words of a name; a longer span is a heading in capitals."""
LONGEST_CODE = 16
"""Characters of a word with digits inside; a longer one is a hash or the like."""

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_NUMBER = re.compile(r"\d{1,3}")
_POSSESSIVE = re.compile(r"['’]s?$")
_PERSON = re.compile(r"(?:Mc|Mac|[OD]['’])?(?=\w)[^\Wa-z\d_][^\WA-Z\d_]+(?:-[^\W\d_]+)*")
_SHORTENED = frozenset({"st", "mt", "ft", "ste"})
_ARTICLES = frozenset({"the", "a", "an"})


class Name(NamedTuple):
    """A name in a text: as written, its weight, where it starts, its words.

    A `common` noun is no entity; a `part` stands inside another name.
    """

    display: str
    weight: float
    start: int
    words: tuple[str, ...]
    common: bool = False
    part: bool = False


def names(sentence: Sequence[Word], *, cases: Cases, lexicon: Lexicon) -> Iterator[Name]:
    """Give the names of one sentence, and the names inside them."""
    if _shouts(sentence):
        return
    for first, last in _spans(sentence, lexicon):
        span = _trimmed(sentence, first, last, cases, lexicon)
        at_head = is_initial(sentence, first)
        for part in _without_nouns(span, cases, lexicon) if lexicon.code == "de" else (span,):
            if len(part) == 1:
                yield from _single(part[0], cases, lexicon, initial=at_head and part[0] is sentence[first])
            elif part:
                yield from _several(part)


def _shouts(sentence: Sequence[Word]) -> bool:
    letters = [word for word in sentence if word.lower != word.text.upper()]
    return len(letters) > 3 and all(word.text.isupper() for word in letters)  # noqa: PLR2004


def _spans(sentence: Sequence[Word], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    links = lexicon.links
    index = 0
    while index < len(sentence):
        if _starts(sentence, index):
            end = _end(sentence, index, links)
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
    if gap == ". ":
        return sentence[index - 1].lower in _SHORTENED
    return gap in {" ", " & "} or (not gap and sentence[index - 1].text[-1] in "'’")


def _end(sentence: Sequence[Word], first: int, links: frozenset[str]) -> int:
    end = index = first + 1
    while _joined(sentence, index):
        word = sentence[index]
        if (
            (word.capital and word.text != "I")
            or _NUMBER.fullmatch(word.text)
            or _is_numeral(sentence, index)
        ):
            end = index = index + 1
            continue
        after = index
        while after - index < 3 and _joined(sentence, after) and sentence[after].lower in links:  # noqa: PLR2004
            after += 1
        if _pairs(sentence, first, index):
            after = index + 1
        if after == index or not _joined(sentence, after) or not sentence[after].capital:
            break
        end = index = after + 1
    return end


def _is_numeral(sentence: Sequence[Word], index: int) -> bool:
    """Tell whether "I" stands at the end of a name ("World War I"), not at the head of a clause."""
    return sentence[index].text == "I" and (index + 1 == len(sentence) or sentence[index + 1].gap != " ")


def _pairs(sentence: Sequence[Word], first: int, index: int) -> bool:
    """Tell whether "and" joins one name: "the Food and Drug Administration"."""
    return (
        sentence[index].lower == "and"
        and index == first + 1
        and first > 0
        and sentence[first - 1].lower == "the"
        and all(_joined(sentence, after) and sentence[after].capital for after in (index + 1, index + 2))
    )


def _trimmed(
    sentence: Sequence[Word], first: int, last: int, cases: Cases, lexicon: Lexicon
) -> Sequence[Word]:
    """Take off articles, and what is capitalised only because a sentence begins there."""
    span = sentence[first:last]
    opener, rest = span[0].lower, _without_links(span[1:])
    if opener in _ARTICLES and rest:
        return span if all(word.lower in lexicon.functions for word in rest) else rest
    if not is_initial(sentence, first) or any(map(str.isupper, span[0].text[1:])):
        return span
    if opener in lexicon.functions:
        return rest
    if opener in cases.capital:
        return span
    return rest if _only_opens(span, cases, lexicon) else span


def _only_opens(span: Sequence[Word], cases: Cases, lexicon: Lexicon) -> bool:
    """Tell whether the first word of a span is no part of the name: "However", "Hey Ada", "Load Java"."""
    opener = span[0].lower
    if lexicon.opens(opener):
        return True
    if len(span) == 1:
        return False
    known = span[1].lower in cases.heads and not span[1].text.isupper()
    return known or (len(span) > 2 and opener in cases.lower)  # noqa: PLR2004


def _without_links(span: Sequence[Word]) -> Sequence[Word]:
    while span and not span[0].capital and not span[0].text[0].isdigit():
        span = span[1:]
    return span


def _without_nouns(span: Sequence[Word], cases: Cases, lexicon: Lexicon) -> Iterator[Sequence[Word]]:
    """Give the parts of a German span between common nouns and pronouns ("Ihrem"), and those nouns."""
    rest = list(span)
    while rest:
        common = (i for i, w in enumerate(rest) if w.lower in cases.nouns or _is_pronoun(w, lexicon))
        cut = next(common, len(rest))
        yield _within_links(rest[:cut])
        yield rest[cut : cut + 1]
        rest = rest[cut + 1 :]


def _is_pronoun(word: Word, lexicon: Lexicon) -> bool:
    return word.capital and word.lower in lexicon.functions and not word.text.isupper()


def _within_links(span: Sequence[Word]) -> Sequence[Word]:
    while span and not (span[-1].capital or span[-1].text[0].isdigit()):
        span = span[:-1]
    return _without_links(span)


def _single(word: Word, cases: Cases, lexicon: Lexicon, *, initial: bool) -> Iterator[Name]:
    text = _bare(word.text)
    lower = text.lower()
    if not _says_something(text, lexicon):
        return
    if lower in cases.nouns and text[1:].islower():
        yield _name((word,), NOUN, common=True)
        return
    doubtful = initial and text[1:].islower() and lower not in cases.capital
    if not doubtful or (word.label and lower in cases.labels):
        yield _name((word,))
    elif not word.label and lower not in cases.lower and not lexicon.opens(lower):
        yield _name((word,), DOUBTFUL)


def _says_something(text: str, lexicon: Lexicon) -> bool:
    """Tell whether one word may be a name; a stop word only in capitals, a function word if an acronym."""
    lower = text.lower()
    if len(text.rstrip(".")) < 2 or text.isdigit() or text in words.months_of(lexicon.code):  # noqa: PLR2004
        return False
    if len(text) > LONGEST_CODE and any(map(str.isdigit, text)):
        return False
    if not lexicon.is_stop(lower):
        return True
    return text.isupper() and (lower not in lexicon.functions or lower in words.acronyms())


def _several(span: Sequence[Word]) -> Iterator[Name]:
    if len(span) <= LONGEST:
        yield _name(span)
    for part in (*_parts(span), *_without_role(span)):
        if len(part) > 1:
            yield _name(part, part=True)
        elif _is_word(part[0].text):
            yield _name(part, PART, part=True)


def _is_word(text: str) -> bool:
    return not text.isdigit() and (len(text) > 2 or (len(text) > 1 and text.isupper()))  # noqa: PLR2004


def _name(span: Sequence[Word], weight: float = 0.0, *, common: bool = False, part: bool = False) -> Name:
    texts = [word.text for word in span]
    texts[-1] = display = _bare(texts[-1])
    if len(span) > 1:
        display = texts[0] + "".join(
            [word.gap + text for word, text in zip(span[1:], texts[1:], strict=True)]
        )
    weight = weight or NAME + PER_WORD * min(len(texts), COUNTED)
    return Name(display, weight, span[0].start, tuple(texts), common, part)


def _bare(text: str) -> str:
    return text if text.isalnum() else _POSSESSIVE.sub("", text)


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


def _without_role(span: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Give the person's name of two words or more in "President Nelson Mandela"."""
    rest = span
    while rest and rest[0].lower in words.roles():
        rest = rest[1:]
    if 1 < len(rest) < len(span) and all(word.capital for word in rest):
        yield rest


def alias(name: Name, *, before: Word | None, cases: Cases, lexicon: Lexicon) -> str:
    """Return "first last" of a person's name of three or four words, else "".

    A name after "the", or whose last word the chunk also writes in lower case ("School"), is no person's.
    """
    if not 3 <= len(name.words) <= 4 or not all(map(_PERSON.fullmatch, name.words)):  # noqa: PLR2004
        return ""
    first, last = name.words[0], name.words[-1]
    if first.lower() in words.roles() or last.lower() in cases.lower or (before and before.lower == "the"):
        return ""
    if any(word.lower() in lexicon.functions for word in name.words):
        return ""
    return f"{first} {last}"
