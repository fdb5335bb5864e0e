"""Primary tags: what a chunk is about."""

from __future__ import annotations

import re
from itertools import pairwise

from bamboo_neo4j.memorise.rules.lexicon import lexicon_of
from bamboo_neo4j.memorise.rules.names import Cases, names
from bamboo_neo4j.memorise.rules.reading import plain, sentences, words

HEAD = 2_000
"""Characters of a text in which its first sentence is looked for."""
SHORTEST_LEAD, LONGEST_LEAD, LEAD_WORDS = 2, 60, 7
_LEAD_END = re.compile(r"[(,;:，；：（]|\s(?:is|was|are|were|refers|has|had)\b|[.!?。！？]*$")
_QUALIFIED = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


def subjects(text: str, *, title: str, language: str) -> list[str]:
    """Return the spellings of what a chunk is about, the best first.

    The title, and the title without "(…)". Without a title, the lead of the first sentence: what stands
    before its first bracket, comma, colon or verb of being, if short and capitalised; else its first name.
    """
    title = " ".join(title.split())
    if title:
        return list(dict.fromkeys((title, _QUALIFIED.sub("", title) or title)))
    first = next((sentence for _, sentence in sentences(plain(text[:HEAD])) if sentence.strip()), "")
    lead = _lead(first.strip())
    return [lead] if lead else _first_name(first, language)


def _lead(sentence: str) -> str:
    end = _LEAD_END.search(sentence)
    lead = sentence[: end.start()].strip(" \"'“”«»*_#-") if end else ""
    short = SHORTEST_LEAD <= len(lead) <= LONGEST_LEAD and len(lead.split()) <= LEAD_WORDS
    label = end is not None and end[0] in {":", "："} and len(lead.split()) == 1
    return lead if short and lead[0].isupper() and not label else ""


def _first_name(sentence: str, language: str) -> list[str]:
    found = words(sentence)
    lexicon = lexicon_of((word.lower for word in found), language)
    cases = Cases(frozenset(), frozenset())
    labels = {word.lower for word, after in pairwise(found) if ":" in after.gap}
    for name in names(found, cases=cases, lexicon=lexicon):
        if name.display.lower() not in labels:
            return [name.display]
    return []
