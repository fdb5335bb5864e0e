"""Primary tags: what a chunk is about."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.rules.cases import cases_of
from bamboo_neo4j.memorise.rules.dates import dates, outside
from bamboo_neo4j.memorise.rules.lexicon import lexicon_of
from bamboo_neo4j.memorise.rules.names import names
from bamboo_neo4j.memorise.rules.reading import plain, sentences, unspaced, words
from bamboo_neo4j.memorise.rules.unspaced import pieces
from bamboo_neo4j.words import articles, copulas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.memorise.rules.lexicon import Lexicon
    from bamboo_neo4j.memorise.rules.reading import Word
    from bamboo_neo4j.normalise import Normaliser

HEAD = 2_000
"""Characters of a text in which its first sentence is looked for."""
SHORTEST_LEAD, LONGEST_LEAD, LEAD_WORDS = 2, 60, 7
LONGEST_UNSPACED = 12
"""Characters of a lead in a script without spaces."""
MOST_SHOUTED = 3
"""Words of a lead all in capitals; a longer one is a cry."""
_ATTRIBUTES = re.compile(r"\{\s?[#.:][^{}\n]*\}\s*$")
"""What Markdown may put behind a heading."""
_QUALIFIED = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


def subjects(text: str, *, title: str, normaliser: Normaliser) -> list[str]:
    """Return the spellings of what a chunk is about, the best first.

    The title, and the title without "(…)". Without a title, the lead of the first sentence: what stands
    before its first bracket, comma, colon or verb of being, if short and capitalised; else its first name.
    """
    title = " ".join(_ATTRIBUTES.sub("", title).split())
    if title:
        return list(dict.fromkeys((title, _QUALIFIED.sub("", title) or title)))
    first = next((sentence for _, sentence in sentences(plain(text[:HEAD])) if sentence.strip()), "")
    found: Sequence[Word] = words(first)
    lexicon = lexicon_of((word.lower for word in found), normaliser.language)
    lead = _lead(first.strip(), lexicon)
    if lead:
        return [lead]
    piece = next((piece for piece, _, _ in pieces(first, normaliser=normaliser)), "")
    if piece:
        return [piece]
    found = outside(found, dates(first, found), 0)
    first_names = names(found, cases=cases_of([found], lexicon), lexicon=lexicon)
    return next(([name.display] for name in first_names), [])


def _lead(sentence: str, lexicon: Lexicon) -> str:
    end = _lead_end(lexicon.code).search(sentence)
    lead = sentence[: end.start()].strip(" \"'“”«»*_#-") if end else ""
    longest = LONGEST_UNSPACED if unspaced().search(lead) else LONGEST_LEAD
    short = SHORTEST_LEAD <= len(lead) <= longest and len(lead.split()) <= LEAD_WORDS
    label = end is not None and end[0] in {":", "："} and len(lead.split()) == 1
    named = lead[:1].isupper() or lead[:1].lower() == lead[:1].upper() != ""
    said = any(word.lower() not in lexicon.functions for word in lead.split()) and not _only_begins(
        lead, lexicon
    )
    shouted = lead.isupper() and len(lead.split()) > MOST_SHOUTED
    return lead if short and named and said and not label and not shouted else ""


def _only_begins(lead: str, lexicon: Lexicon) -> bool:
    """Tell whether a lead opens like any sentence ("In 1936", "After the war"), not like a name."""
    opener, *others = lead.split() or [""]
    if opener.lower() not in lexicon.functions - articles(lexicon.code):
        return False
    content = [word for word in others if word.lower() not in lexicon.functions]
    return not any(word[0].isupper() for word in content) or any(word[0].islower() for word in content)


@cache
def _lead_end(code: str) -> re.Pattern[str]:
    being = "|".join(sorted(copulas(code) or copulas("en")))
    return re.compile(rf"[(,;:，；：（、。]|\s[—–-]\s|是|とは|は|\s(?:{being})\b|[.!?。！？]*$")
