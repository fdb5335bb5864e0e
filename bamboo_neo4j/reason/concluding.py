"""Concluding: from an answered map to the answer, what it rests on, and the claims that the gate judges."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from bamboo_neo4j.reason.evidence import named
from bamboo_neo4j.reason.keys import names
from bamboo_neo4j.records import ReasoningOutput, UsedPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import MindMap, Question
    from bamboo_neo4j.reason.retrieval import Candidate, Pool
    from bamboo_neo4j.records import Fact, RecalledChunk

MODULE = "mindmap"
MOST_PAIRS = 4
"""Pairs that one answer claims in one chunk."""


def cited(map_: MindMap, pool: Pool) -> tuple[tuple[RecalledChunk, ...], tuple[Fact, ...]]:
    """Return the chunks and the facts that the answer rests on, in the order in which they were recalled."""
    wanted = {one.id for one in map_.root.evidence}
    used = [one for key, one in pool.candidates.items() if key in wanted]
    return tuple(one.chunk for one in used if one.chunk), tuple(one.fact for one in used if one.fact)


def conclude(map_: MindMap, pool: Pool, words: Normaliser) -> ReasoningOutput:
    """Return the answer as a reasoning module's output: its steps, and the claims that it makes.

    Each question that the answer rests on claims that a chunk it cites joins what it asks about with what it
    answers. Confidence is the share of its questions that were verified.
    """
    chunks, facts = cited(map_, pool)
    steps = [one for one in reversed(map_.questions) if one.is_answered and _serves(one, map_)]
    verified = sum(one.verdict == "verified" for one in steps)
    pairs = dict.fromkeys(pair for one in steps for pair in _claims(one, pool, words))
    return ReasoningOutput(
        module=MODULE,
        conclusion=map_.root.answer,
        confidence=verified / len(steps) if steps else 0.0,
        path=tuple(f"{one.asked} {one.answer}" for one in steps),
        facts=tuple(fact.id for fact in facts),
        pairs=tuple(pairs),
        chunks=tuple(chunk.id for chunk in chunks),
        metrics=(("questions", len(map_.questions)), ("verified", verified)),
    )


def _serves(question: Question, map_: MindMap) -> bool:
    """Tell whether the answer rests on what this question cites."""
    wanted = {one.id for one in map_.root.evidence}
    return bool(question.evidence) and all(one.id in wanted for one in question.evidence)


def _claims(question: Question, pool: Pool, words: Normaliser) -> Iterator[UsedPair]:
    """Yield the pairs that an answer joins; one that no cited chunk holds if it joins none there."""
    chunks = [pool.candidates[id_] for id_ in question.chunks if id_ in pool.candidates]
    found = [pair for one in chunks for pair in _pairs(question, one, words)]
    if found or not chunks or question.facts:
        yield from found
        return
    asked = names(question.asked, words)
    if asked and words.key(question.answer):
        yield UsedPair(asked[0], question.answer, question.chunks[0])


def _pairs(question: Question, one: Candidate, words: Normaliser) -> list[UsedPair]:
    """Return the tags of a chunk that the question names, each with each that the answer names."""
    if one.chunk is None:
        return []
    answered = _named(question.answer, one.tags, words)
    about = [tag for tag in _named(question.asked, one.tags, words) if tag not in answered]
    if not answered:
        about, answered = about[:1], about[1:]
    return [UsedPair(left, right, one.chunk.id) for left, right in product(about, answered)][:MOST_PAIRS]


def _named(text: str, tags: Iterable[str], words: Normaliser) -> Sequence[str]:
    """Return the tags that stand in a text, the longest first: they say most."""
    return sorted(named(text, tags, words=words), key=lambda tag: (-len(tag.split()), tag))
