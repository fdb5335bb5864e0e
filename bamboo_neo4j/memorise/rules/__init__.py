"""The rule tagger: names, dates and phrases as the text writes them; no model, the same every time.

The five rules and their weights come from trials on paragraphs of an encyclopedia, where the first twelve
tags found seven of ten names and terms that a reader would link by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.rules.primary import subjects
from bamboo_neo4j.memorise.rules.proposals import proposals
from bamboo_neo4j.memorise.tag_list import MOST_BYTES, clean, too_long
from bamboo_neo4j.normalise import MAX_TERM
from bamboo_neo4j.records import Kind, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.rules.proposals import Proposal
    from bamboo_neo4j.normalise import Normaliser

RULES = "1"
"""Version of these rules; a change of any tag is a new version."""

FEWEST, MOST = 12, 24
FEW_TOKENS, MANY_TOKENS = 200, 1_200
"""Tags a chunk: 12 up to 200 tokens, growing to 24 at 1,200. Pairs grow by the square."""
REPETITION, EARLINESS = 0.5, 0.2
"""Score = weight x (1 + 0.5 ln tf) x (1 + 0.2 x earliness), earliness from 1 at the head to 0 at the end."""


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
    key, name = normaliser.key(display), normaliser.name(display)
    if not key or any(len(part) > MAX_TERM for part in key.split()):
        return None
    if len(name.encode()) > MOST_BYTES:
        return None
    return Tag(key, name, display, kind, salience, about)


def primary_tags(text: str, *, title: str, normaliser: Normaliser) -> tuple[Tag, ...]:
    """Return what a chunk is about: its title, with and without "(…)"; its lead if no title can be a tag."""
    for heading in (title, "") if title else ("",):
        made = (
            make_tag(spelling, kind="entity", salience=1.0, normaliser=normaliser, about=True)
            for spelling in subjects(text, title=heading, normaliser=normaliser)
        )
        tags = tuple({tag.key: tag for tag in made if tag}.values())
        if tags:
            return tags
    return ()


def tag_chunk(
    text: str, *, title: str, normaliser: Normaliser, tokens: int, limit: int | None = None
) -> tuple[Tag, ...]:
    """Return the tags of a chunk of `tokens` tokens: its primary ones, then the strongest, one a key.

    At most `limit` tags, or as many as `tag_limit` allows; the primary ones are always among them.
    """
    primary = primary_tags(text, title=title, normaliser=normaliser)
    most = tag_limit(tokens) if limit is None else limit
    length = max(1, len(title) + len(text))
    found = _collect(proposals(text, title=title, normaliser=normaliser), normaliser, length)
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


@dataclass(slots=True)
class _Candidate:
    key: str
    display: str
    kind: Kind
    weight: float
    start: int
    part: bool
    count: int = 0
    score: float = 0.0


def _collect(mentions: Iterator[Proposal], normaliser: Normaliser, length: int) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    for each in mentions:
        key = normaliser.key(each.display)
        if not key:
            continue
        known = found.get(key)
        if known is None:
            found[key] = known = _Candidate(key, each.display, each.kind, each.weight, each.start, each.part)
        elif each.weight > known.weight:
            known.display, known.kind, known.weight = each.display, each.kind, each.weight
        known.part = known.part and each.part
        known.start = min(known.start, each.start)
        known.count += 1
    for one in found.values():
        times = 1.0 + REPETITION * math.log(one.count)
        one.score = one.weight * times * (1.0 + EARLINESS * (1.0 - one.start / length))
    return list(found.values())


def _distinct(ranked: Sequence[_Candidate], most: int) -> list[_Candidate]:
    """Keep the best, without those that stand only inside a better one; parts of names and dates stay."""
    kept: list[_Candidate] = []
    for each in ranked:
        if len(kept) >= most:
            break
        inside = f" {each.key} "
        if each.part or not any(inside in f" {other.key} " and each.count <= other.count for other in kept):
            kept.append(each)
    return kept
