"""Grounding by words: an answer whose words stand nowhere in what it cites is none, whoever says so.

It needs no model and comes before the second one. It does not tell whether an answer is right, only whether
the evidence can have given it.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from bamboo_neo4j.reason.keys import names
from bamboo_neo4j.reason.mindmap import CAPITAL_NOUNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bamboo_neo4j.normalise import Normaliser

SHARE = 0.5
"""Least share of an answer's own words that what it cites must hold."""
NUMBERS = 2
"""Numbers in what is cited from which another one may have been computed."""

ALIKE = 4
"""Least letters by which a word is told to begin like another."""

_YES_OR_NO = """
yes no true false ja nein oui non si sí sim não nao да нет tak nie ano ne evet hayır ya tidak
是 否 对 不是 はい いいえ
"""
YES_OR_NO = frozenset(_YES_OR_NO.split())
"""Answers that no evidence spells."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def ungrounded(answer: str, question: str, *, cited: Iterable[str], words: Normaliser) -> str:
    """Return why an answer cannot come from the texts that it cites, or ""."""
    if answer.strip(" .!。").lower() in YES_OR_NO:
        return ""
    terms, asked = words.terms(answer), set(words.terms(question))
    own = [term for term in terms if term not in asked]
    if terms and not own:
        return "" if len(names(question, words)) != 1 else f"{answer!r} only says again what was asked"
    text = "\n".join(cited)
    if not terms:
        said = any(map(str.isalnum, answer)) and answer.strip(" .!。").casefold() in text.casefold()
        return "" if said else f"{answer!r} is not in what it cites"
    held, given = set(words.terms(text)), set(_NUMBER.findall(text))
    numbers = set(_NUMBER.findall(answer)) - given
    if numbers and len(given) < NUMBERS:
        return f"{', '.join(sorted(numbers))} is not in what it cites"
    spelled = [term for term in _spelled(answer, words, computed=bool(numbers)) if term not in asked]
    found = sum(term in held for term in spelled)
    if found < SHARE * len(spelled):
        return f"{answer!r} is not in what it cites"
    return ""


def says_the_same(one: str, other: str, words: Normaliser) -> bool:
    """Whether two short answers share a word, or have words that begin alike (Austria, Austrian)."""
    if one.strip(" .!。").casefold() == other.strip(" .!。").casefold():
        return True
    return any(
        a == b or (min(len(a), len(b)) >= ALIKE and (a.startswith(b) or b.startswith(a)))
        for a, b in product(set(words.terms(one)), set(words.terms(other)))
    )


def _spelled(answer: str, words: Normaliser, *, computed: bool) -> list[str]:
    """Return the words of an answer that evidence must spell; beside a computed number, names alone.

    What is counted ("29 years old") need not stand anywhere.
    """
    if computed:
        capitals = words.language in CAPITAL_NOUNS
        answer = "" if capitals else " ".join(names(answer, words))
    return [term for term in words.terms(answer) if not term[0].isdigit()]
