"""Whether learning helps: validated answers to one half of the questions, then all questions again.

The gold passages of a question are its validated answer: what recall finds of them is recorded as an episode
that passed the gate, and learned. Recall at 5 is then compared, adaptive against frozen, on the questions
that were answered (repeated), on those of the other half that share a tag with one of them (related), and
on the rest (unrelated). Between two splits the episodes are undone, so that each begins from the same graph.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.evaluate.baselines import quiet
from bamboo_neo4j.records import ReasoningOutput, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bamboo_neo4j.evaluate.baselines import Progress
    from bamboo_neo4j.evaluate.datasets import Question
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.records import Recall

GroupName = Literal["repeated", "related", "unrelated"]
GROUPS: tuple[GroupName, ...] = ("repeated", "related", "unrelated")
DEPTH = 5
"""Passages that are looked at: the k of R@k."""
REACH = 100
"""Chunks among which the gold passages of a validated answer are looked for."""

PASSED = Verdict(passed=True, gate="quality", trust=1.0, scores=(), reasons=("the passages are gold",))


@dataclass(frozen=True, slots=True)
class Group:
    """Questions of one group and their mean R@5, in [0, 1], before and after learning."""

    questions: int
    frozen: float
    adaptive: float

    @property
    def gain(self) -> float:
        """What learning brought."""
        return self.adaptive - self.frozen


@dataclass(frozen=True, slots=True)
class Trial:
    """One split of the questions: how many episodes were learned from, and what became of each group."""

    seed: int
    episodes: int
    groups: Mapping[GroupName, Group]

    @property
    def learned(self) -> Group:
        """The repeated and the related questions together."""
        return pooled([self.groups[name] for name in ("repeated", "related")])


def pooled(parts: Sequence[Group]) -> Group:
    """Return several groups as one: means over all their questions."""
    questions = sum(part.questions for part in parts)
    if not questions:
        return Group(0, 0.0, 0.0)
    frozen = sum(part.questions * part.frozen for part in parts) / questions
    adaptive = sum(part.questions * part.adaptive for part in parts) / questions
    return Group(questions, frozen, adaptive)


def compare(
    memory: Memory, questions: Sequence[Question], *, seeds: int, progress: Progress = quiet
) -> tuple[Trial, ...]:
    """Compare learning with none on `questions`, each with gold, in `seeds` random halvings of them.

    `progress` is called once for each question that is asked, `1 + seeds` times in all for each. The memory
    is left with its episodes undone.
    """
    before = {}
    for question in questions:
        before[question.id] = _ask(memory, question.text, REACH)
        progress(1)
    return tuple(_trial(memory, questions, before, seed=seed, progress=progress) for seed in range(seeds))


def _trial(
    memory: Memory,
    questions: Sequence[Question],
    before: Mapping[str, Recall | None],
    *,
    seed: int,
    progress: Progress,
) -> Trial:
    groups = split(questions, {each.id: _tags(before[each.id]) for each in questions}, seed=seed)
    episodes = [
        episode
        for question in groups["repeated"]
        if (episode := _learn(memory, question, before[question.id]))
    ]
    memory.maintain()
    try:
        found = {name: _compare(memory, groups[name], before, progress=progress) for name in GROUPS}
    finally:
        for episode in reversed(episodes):
            memory.undo(episode)
    return Trial(seed, len(episodes), found)


def split(
    questions: Sequence[Question], tags: Mapping[str, frozenset[str]], *, seed: int
) -> dict[GroupName, list[Question]]:
    """Halve the questions at random: one half is repeated, the other related or not, by a common tag."""
    order = list(questions)
    random.Random(seed).shuffle(order)  # noqa: S311 - a seeded sample, no secret
    repeated, others = order[: len(order) // 2], order[len(order) // 2 :]
    known = frozenset().union(*(tags[each.id] for each in repeated))
    return {
        "repeated": repeated,
        "related": [each for each in others if tags[each.id] & known],
        "unrelated": [each for each in others if not tags[each.id] & known],
    }


def _learn(memory: Memory, question: Question, found: Recall | None) -> str | None:
    """Record the gold passages that were found as a validated answer; return the episode's id, if any was."""
    cited = [chunk for chunk in (found.chunks if found else ()) if chunk.document in question.gold]
    if not cited:
        return None
    answer = question.answers[0] if question.answers else "the passages"
    output = ReasoningOutput("gold", answer, 1.0, chunks=tuple(chunk.id for chunk in cited))
    return memory.learn(question.text, output, PASSED, cited=cited).id


def _compare(
    memory: Memory, group: Sequence[Question], before: Mapping[str, Recall | None], *, progress: Progress
) -> Group:
    frozen, adaptive = [], []
    for question in group:
        frozen.append(_found(before[question.id], question))
        adaptive.append(_found(_ask(memory, question.text, 2 * DEPTH), question))
        progress(1)
    return Group(len(group), fmean(frozen), fmean(adaptive)) if group else Group(0, 0.0, 0.0)


def _ask(memory: Memory, question: str, limit: int) -> Recall | None:
    try:
        return memory.recall(question, limit=limit, associations=False)
    except NothingRecalled:
        return None


def _tags(found: Recall | None) -> frozenset[str]:
    return frozenset(cue.tag for cue in (found.cues if found else ()) if cue.tag)


def _found(recalled: Recall | None, question: Question) -> float:
    """Return the share of the gold passages among the first five passages."""
    documents = dict.fromkeys(chunk.document for chunk in (recalled.chunks if recalled else ()))
    return len(question.gold & set(list(documents)[:DEPTH])) / len(question.gold)
