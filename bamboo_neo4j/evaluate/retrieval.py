"""Ask every question of a data set of one method, and score what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.evaluate.baselines import quiet
from bamboo_neo4j.evaluate.metrics import DEPTHS, Ranked, Scores, score_retrieval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bamboo_neo4j.evaluate.baselines import Progress, Ranker
    from bamboo_neo4j.evaluate.datasets import Question
    from bamboo_neo4j.records import Recall

DEPTH = max(DEPTHS)
WARM_UP = 10
"""Questions asked before the clock runs: a server that has planned nothing yet is not what is measured."""

Method = Callable[[str], Ranked]


@dataclass(frozen=True, slots=True)
class Measured:
    """The scores of one method, over all questions and over each kind of them."""

    method: str
    scores: Scores
    kinds: Mapping[str, Scores]


def by_recall(recall: Callable[[str], Recall]) -> Method:
    """Make a method of a memory's recall, whose documents are the passages.

    A document of several chunks counts once, at its best chunk; tokens are those of the chunks up to the
    twentieth document.
    """

    def ask(question: str) -> Ranked:
        started = perf_counter()
        try:
            chunks = recall(question).chunks
        except NothingRecalled:
            chunks = ()
        milliseconds = 1000 * (perf_counter() - started)
        ids = tuple(islice(dict.fromkeys(chunk.document for chunk in chunks), DEPTH))
        tokens = sum(chunk.tokens for chunk in chunks if chunk.document in ids)
        return Ranked(ids, tokens, milliseconds)

    return ask


def by_ranker(rank: Ranker, tokens: Mapping[str, int]) -> Method:
    """Make a method of a baseline; `tokens` are those of each passage."""

    def ask(question: str) -> Ranked:
        started = perf_counter()
        ids = tuple(rank(question, DEPTH))
        milliseconds = 1000 * (perf_counter() - started)
        return Ranked(ids, sum(tokens[each] for each in ids), milliseconds)

    return ask


def measure(
    name: str,
    method: Method,
    questions: Sequence[Question],
    *,
    progress: Progress = quiet,
) -> Measured:
    """Ask `method` all `questions` (at least one, each with gold) and score it, after a warm-up."""
    for question in questions[:WARM_UP]:
        method(question.text)
    found = []
    for question in questions:
        found.append(method(question.text))
        progress(1)
    asked = list(zip(questions, found, strict=True))
    kinds = {kind: _score(pair for pair in asked if kind in pair[0].kinds) for kind in _kinds(questions)}
    return Measured(name, _score(asked), kinds)


def _score(asked: Iterable[tuple[Question, Ranked]]) -> Scores:
    return score_retrieval([(question.gold, found) for question, found in asked])


def _kinds(questions: Sequence[Question]) -> list[str]:
    """The kinds that tell some questions from others, in alphabetical order."""
    kinds = {kind for question in questions for kind in question.kinds}
    return sorted(kind for kind in kinds if not all(kind in question.kinds for question in questions))
