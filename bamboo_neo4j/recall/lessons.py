"""Lessons: chunks that validated answers to a similar question have cited.

Strength on edges of tags fades within a few cycles and cannot tell two chunks about one tag apart; measured
on real questions it changed no order (docs/learning.md). What was learned is therefore kept where it was
proved: an episode that passed the gate and was learned has USED the chunks that its answer cites, and a
question like its own finds them higher. An episode that is undone or was rejected teaches nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.recall import cues

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.recall.cues import Reading

EPISODES = 20
"""Episodes of one chunk that are looked at, the latest first."""
POWER = 2
"""Likeness is squared: half the words in common is a quarter of the lesson."""


def lessons(
    taught: Iterable[tuple[str, Sequence[str]]], reading: Reading, normaliser: Normaliser
) -> dict[str, float]:
    """Return what validated answers add to the score of each chunk, in (0, 1]: likeness squared.

    `taught` are chunks with the questions of the episodes that used them. The likeness of two questions is
    what their terms have in common, of all terms of both (Jaccard), generic words at `cues.GENERIC`.
    """
    weights: dict[str, float] = {}
    found = {
        chunk: max(_likeness(reading, question, normaliser, weights) for question in questions) ** POWER
        for chunk, questions in taught
        if questions
    }
    return {chunk: value for chunk, value in found.items() if value > 0}


def _likeness(reading: Reading, question: str, normaliser: Normaliser, weights: dict[str, float]) -> float:
    ours, theirs = set(reading.terms), set(cues.read(question, normaliser).terms)
    for term in ours | theirs:
        if term not in weights:
            weights[term] = cues.GENERIC if normaliser.is_generic(term) else 1.0
    either = sum(weights[term] for term in sorted(ours | theirs))
    return sum(weights[term] for term in sorted(ours & theirs)) / either if either else 0.0
