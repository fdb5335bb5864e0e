"""The experiments of the Kairos paper on a case of facts, rules, announcements and rates.

Three tables: strengths cycle by cycle while one question is asked again and again (its Table 1), trust and
confidence of answers in a memory that learns and in one that does not (Table 2), and what each validator and
the gate hold back (Table 3). Everything is deterministic: no model is called.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.errors import InputError, NothingRecalled
from bamboo_neo4j.evaluate.baselines import quiet
from bamboo_neo4j.learn.gate import ASKED, judge
from bamboo_neo4j.strict_json import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bamboo_neo4j.evaluate.baselines import Progress
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import GateName, Reasoned, ReasoningOutput, Score, ScoreName

FILES = {
    "facts": "facts.csv",
    "rules": "rules.json",
    "table": "rates.csv",
    "announcements": "announcements.json",
    "goals": "goals.json",
    "questions": "questions.jsonl",
}
WORKLOAD = 2
"""Questions that are asked in turn for Table 2: with more, facts wait too long to stay strong."""


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of facts and data, and its questions that need no model: text, day and modules of each."""

    folder: Path
    questions: tuple[Mapping[str, Any], ...]

    def asking(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of `Memory.reason` for a question."""
        data = {name: self.folder / FILES[name] for name in ("rules", "table", "announcements", "goals")}
        return {"modules": question["modules"], "as_of": question["as_of"], **data}


@dataclass(frozen=True, slots=True)
class Cycle:
    """Table 1: mean strength of the facts that the question used, and of all others, after a cycle."""

    cycle: int
    used: float
    unused: float


@dataclass(frozen=True, slots=True)
class Turn:
    """Table 2: trust and confidence of the answer of one cycle, with learning and without."""

    cycle: int
    question: str
    adaptive_trust: float
    frozen_trust: float
    adaptive_confidence: float
    frozen_confidence: float


@dataclass(frozen=True, slots=True)
class Held:
    """Table 3: without a validator, the sound and spoiled answers that pass, and facts the latter touch."""

    without: str
    sound: int
    spoiled: int
    touched: int


def read_case(folder: Path) -> Case:
    """Read the questions of a folder with the files of `FILES`; raises InputError where one is missing."""
    for name in FILES.values():
        if not (folder / name).is_file():
            raise InputError(f"{folder} has no file {name!r}", hint="give a folder like examples/apollo")
    try:
        lines = (folder / FILES["questions"]).read_text(encoding="utf-8").splitlines()
        rows = [parse(line) for line in lines if line.strip()]
        known = tuple(row for row in rows if "llm" not in row["modules"] and row["question"] and row["as_of"])
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{folder / FILES['questions']} cannot be used: {error}"
        raise InputError(reason, hint="a line is an object with question, as_of and modules") from None
    if len(known) < WORKLOAD:
        raise InputError(f"{folder} has fewer than {WORKLOAD} questions without a model", hint="add some")
    return Case(folder, known)


def strengths(memory: Memory, case: Case, *, cycles: int, progress: Progress = quiet) -> tuple[Cycle, ...]:
    """Ask the first question in each cycle and learn from it: Table 1."""
    question = case.questions[0]
    used: set[str] = set()
    rows = [_cycle(memory, 0, used)]
    for number in range(1, cycles + 1):
        used |= set(_reason(memory, case, question, learn=True).answer.facts)
        memory.maintain()
        rows.append(_cycle(memory, number, used))
        progress(1)
    start = [fact.confidence for fact in memory.facts() if fact.id in used]
    return (replace(rows[0], used=fmean(start)), *rows[1:]) if start else tuple(rows)


def _cycle(memory: Memory, number: int, used: set[str]) -> Cycle:
    facts = list(memory.facts())
    ours = [fact.strength for fact in facts if fact.id in used]
    others = [fact.strength for fact in facts if fact.id not in used]
    return Cycle(number, fmean(ours) if ours else 0.0, fmean(others) if others else 0.0)


def turns(
    adaptive: Memory, frozen: Memory, case: Case, *, cycles: int, progress: Progress = quiet
) -> tuple[Turn, ...]:
    """Ask the first questions in turn of a memory that learns and of one that does not: Table 2."""
    rows = []
    for number in range(1, cycles + 1):
        question = case.questions[number % WORKLOAD]
        ours = _reason(adaptive, case, question, learn=True)
        theirs = _reason(frozen, case, question, learn=False)
        adaptive.maintain()
        rows.append(
            Turn(
                number,
                question["question"],
                ours.verdict.trust,
                theirs.verdict.trust,
                ours.answer.confidence,
                theirs.answer.confidence,
            )
        )
        progress(1)
    return tuple(rows)


def ablations(
    memory: Memory, case: Case, *, gate: GateName = "quality", progress: Progress = quiet
) -> tuple[Held, ...]:
    """Judge sound answers and spoiled copies of them with each validator left out: Table 3.

    A copy is spoiled in one of four ways: its facts are invented, they are those of other questions, it
    concludes what a limit of the goals forbids, or it claims nothing at all.
    """
    answers = []
    for question in case.questions:
        try:
            answers.append((question, _reason(memory, case, question, learn=False)))
        except NothingRecalled:
            continue
        progress(1)
    sound = [reasoned.verdict.scores for _, reasoned in answers]
    spoiled = []
    for place, (question, reasoned) in enumerate(answers):
        other = answers[(place + len(answers) // 2) % len(answers)][1].answer
        output = spoil(reasoned.answer, other, way=place % len(WAYS))
        judged = memory.reason(
            question["question"], **{**case.asking(question), "modules": [_Fixed(output)]}, learn=False
        )
        spoiled.append((judged.verdict.scores, len(output.facts)))
        progress(1)
    names = ("", *ASKED[gate], "all of them")
    return tuple(_held(name, sound, spoiled, gate=gate) for name in names)


WAYS = ("invented", "unrelated", "forbidden", "empty")
"""How an answer is spoiled."""
FORBIDDEN = "buy the token, a guaranteed return"


def spoil(output: ReasoningOutput, other: ReasoningOutput, *, way: int) -> ReasoningOutput:
    """Return an answer with one thing wrong, the `way`th of `WAYS`."""
    if WAYS[way] == "invented":
        return replace(output, facts=tuple(f"{fact}-invented" for fact in output.facts))
    if WAYS[way] == "unrelated":
        return replace(output, facts=(*output.facts, *other.facts), pairs=(*output.pairs, *other.pairs))
    if WAYS[way] == "forbidden":
        return replace(output, conclusion=f"{output.conclusion}: {FORBIDDEN}")
    return replace(output, facts=(), pairs=(), path=())


def _held(
    without: str,
    sound: Sequence[tuple[Score, ...]],
    spoiled: Sequence[tuple[tuple[Score, ...], int]],
    *,
    gate: GateName,
) -> Held:
    left = [(judge(_without(scores, without), gate=gate).passed, facts) for scores, facts in spoiled]
    return Held(
        without=without or "nothing",
        sound=sum(judge(_without(scores, without), gate=gate).passed for scores in sound),
        spoiled=sum(passed for passed, _ in left),
        touched=sum(facts for passed, facts in left if passed),
    )


def _without(scores: Sequence[Score], name: ScoreName | str) -> tuple[Score, ...]:
    """Return the scores as if a validator, or all of them, let everything pass."""
    return tuple(
        replace(score, value=1.0) if name in {score.name, "all of them"} else score for score in scores
    )


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A module that has made up its mind, and looks the facts up as others do."""

    output: ReasoningOutput
    name: str = "fixed"
    description: str = "what was concluded already"

    def reason(self, question: str, memory: Remembering, /) -> ReasoningOutput:  # noqa: ARG002 - a module's form
        list(memory.facts())
        return replace(self.output, module=self.name)


def _reason(memory: Memory, case: Case, question: Mapping[str, Any], *, learn: bool) -> Reasoned:
    return memory.reason(question["question"], **case.asking(question), learn=learn)
