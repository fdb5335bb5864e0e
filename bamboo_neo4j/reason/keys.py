"""Keys: what to look for because of a whole map, read from its questions by rule (CogGRAG, key extraction).

Local keys belong to one question: its entities (names, quoted words, numbers, and what the memory knows it
by), pairs of them, and the triple that it asks for, an entity with the words that say what of it. Shared
(global) keys tie questions together: entities of several of them, and what a question says together with one
that it refers to. No model is called: a key is made of words of the questions, so nothing can be looked for
that nobody asked.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from bamboo_neo4j import words as word_lists
from bamboo_neo4j.reason.asked import Keys, LocalKeys
from bamboo_neo4j.reason.mindmap import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bamboo_neo4j.normalise import Normaliser, Token
    from bamboo_neo4j.reason.asked import Question
    from bamboo_neo4j.records import Cue

MOST_ENTITIES = 8
"""Entities of one question; their pairs grow with the square."""
MOST_SHARED = 24
MOST_LINKS = 2
"""Small words in a row inside a name ("of the")."""

_QUOTED = re.compile(r"[\"“”„«»「『‘]([^\"“”„«»「」『』‘’]{1,120})[\"“”„«»」』’]")


def local_keys(
    question: Question,
    *,
    normaliser: Normaliser,
    text: str | None = None,
    answers: Sequence[str] = (),
    cues: Sequence[Cue] = (),
) -> LocalKeys:
    """Return the keys of one question; of `text` in its place, once its references are filled with `answers`.

    `cues` are what the memory knows of the questions: they add the names that a question does not write as
    one.
    """
    said = REFERENCE.sub(" ", question.text if text is None else text)
    entities = _distinct([*answers, *names(said, normaliser)], normaliser)
    entities = _distinct([*entities, *_known(said, cues, normaliser, few=not entities)], normaliser)
    entities = entities[:MOST_ENTITIES]
    pairs = tuple(f"{one} {other}" for one, other in combinations(entities, 2))
    whole = " ".join(token.text for token in content(said, normaliser))
    triple = whole if len(whole.split()) > 1 and whole not in entities else ""
    return LocalKeys(question.number, tuple(entities), pairs, (triple,) if triple else ())


def find_keys(
    questions: Sequence[Question],
    *,
    normaliser: Normaliser,
    cues: Sequence[Cue] = (),
    with_shared: bool = True,
) -> Keys:
    """Return the keys of a whole map, those that its questions share unless they are not wanted."""
    local = tuple(local_keys(one, normaliser=normaliser, cues=cues) for one in questions)
    shared = _shared(questions, local, normaliser) if with_shared and len(questions) > 1 else ()
    return Keys(local, shared)


def recall_text(questions: Sequence[Question], keys: Keys, normaliser: Normaliser) -> str:
    """Return the union of all keys as one question to the memory, each word in it as often as one key has it.

    The question itself comes first, as it is asked; a part adds what the text before it lacks.
    """
    texts = [questions[0].text]
    held = set(normaliser.terms(questions[0].text))
    others = [REFERENCE.sub(" ", one.text) for one in questions[1:]]
    for text in [*others, *(key for one in keys.questions for key in one.entities), *keys.shared]:
        fresh = [token.text for token in content(text, normaliser) if token.stem not in held]
        if fresh:
            held.update(normaliser.terms(text))
            texts.append(" ".join(fresh))
    return "\n".join(texts)


def content(text: str, normaliser: Normaliser) -> list[Token]:
    """Return the words of a text that carry meaning, in order."""
    return [token for token in normaliser.tokens(text) if not normaliser.is_function_word(token.folded)]


def names(text: str, normaliser: Normaliser) -> list[str]:
    """Return what a question writes as a name: quoted, with capitals, or as a number."""
    return [*(found[1].strip() for found in _QUOTED.finditer(text)), *_spans(text, normaliser)]


def _spans(text: str, normaliser: Normaliser) -> Iterator[str]:
    """Yield spans of capitalised words and numbers; links such as "of" stand inside them only."""
    span: list[Token] = []
    held: list[Token] = []
    links = word_lists.name_links()
    for number, token in enumerate(normaliser.tokens(text)):
        apart = bool(span) and re.search(r"[^\s\-–'’.&/]", text[(held or span)[-1].end : token.start])
        if apart:
            yield _spelled(text, span)
            span, held = [], []
        if _is_name(token, normaliser, first=number == 0, inside=bool(span)):
            span += [*held, token]
            held = []
        elif span and token.text in links and len(held) < MOST_LINKS:
            held.append(token)
        elif span:
            yield _spelled(text, span)
            span, held = [], []
    if span:
        yield _spelled(text, span)


def _is_name(token: Token, normaliser: Normaliser, *, first: bool, inside: bool) -> bool:
    """Tell whether a word is written as a name; a question's first word is, if it is no everyday one."""
    if token.text[0].isdigit():
        return True
    if not token.text[0].isupper():
        return False
    if first:
        return not (normaliser.is_function_word(token.folded) or normaliser.is_generic(token.stem))
    shouted = len(token.text) > 1 and token.text.isupper()
    return inside or shouted or not normaliser.is_function_word(token.folded)


def _spelled(text: str, span: Sequence[Token]) -> str:
    return text[span[0].start : span[-1].end]


def _known(text: str, cues: Sequence[Cue], normaliser: Normaliser, *, few: bool) -> Iterator[str]:
    """Yield what the memory knows of the question: tags of several words; single ones if it names nothing."""
    stems = f" {' '.join(token.stem for token in normaliser.tokens(text))} "
    here = [cue for cue in cues if f" {normaliser.key(cue.text)} " in stems]
    tags = [cue.text for cue in here if cue.tag is not None]
    yield from (tag for tag in tags if " " in tag.strip() or few)
    if few and not tags:
        yield from (cue.text for cue in here)


def _distinct(names: Sequence[str], normaliser: Normaliser) -> list[str]:
    """Return each name once, in order, without those that stand inside another."""
    by_key: dict[str, str] = {}
    for name in names:
        key = normaliser.key(name)
        if key:
            by_key.setdefault(key, name)
    return [
        name
        for key, name in by_key.items()
        if not any(key != other and f" {key} " in f" {other} " for other in by_key)
    ]


def _shared(
    questions: Sequence[Question], local: Sequence[LocalKeys], normaliser: Normaliser
) -> tuple[str, ...]:
    by_number = {one.number: one for one in questions}
    keys = [
        *_common(local, normaliser),
        *(text for one in questions for text in _joined(one, by_number, normaliser)),
        *_across(questions, local),
    ]
    return tuple(dict.fromkeys(keys))[:MOST_SHARED]


def _common(local: Sequence[LocalKeys], normaliser: Normaliser) -> list[str]:
    """Return the entities of several questions."""
    spelled = {normaliser.key(name): name for one in local for name in one.entities}
    count = Counter(normaliser.key(name) for one in local for name in one.entities)
    return [spelled[key] for key, times in count.items() if times > 1]


def _joined(question: Question, by_number: Mapping[str, Question], normaliser: Normaliser) -> Iterator[str]:
    """Yield what a question says together with one that it refers to, as one text."""
    for number in dict.fromkeys(REFERENCE.findall(question.text)):
        other = by_number.get(number)
        if other is not None:
            both = REFERENCE.sub(" ", f"{other.text} {question.text}")
            yield " ".join(dict.fromkeys(token.text for token in content(both, normaliser)))


def _across(questions: Sequence[Question], local: Sequence[LocalKeys]) -> Iterator[str]:
    """Yield the pairs of entities of two parts of one question, each part's first."""
    first = {one.number: one.entities[0] for one in local if one.entities}
    for one, other in combinations(questions, 2):
        if one.parent is not None and one.parent == other.parent:
            pair = first.get(one.number), first.get(other.number)
            if pair[0] and pair[1] and pair[0] != pair[1]:
                yield f"{pair[0]} {pair[1]}"
