"""Grounding by words: an answer whose words stand nowhere in what it cites is none, whoever says so.

It needs no model and comes before the second one. It does not tell whether an answer is right, only whether
the evidence can have given it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bamboo_neo4j.reason.keys import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bamboo_neo4j.normalise import Normaliser

SHARE = 0.5
"""Least share of an answer's own words that what it cites must hold."""
NUMBERS = 2
"""Numbers in what is cited from which another one may have been computed."""

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
    held = set(words.terms(text))
    numbers = {number for number in _NUMBER.findall(answer) if number not in text}
    if numbers and len(set(_NUMBER.findall(text))) < NUMBERS:
        return f"{', '.join(sorted(numbers))} is not in what it cites"
    spelled = [term for term in own if not term[0].isdigit()]
    found = sum(term in held for term in spelled)
    if spelled and not numbers and found < SHARE * len(spelled):
        return f"{answer!r} is not in what it cites"
    return ""
