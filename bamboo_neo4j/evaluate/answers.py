"""Ask the questions of a data set in several ways, and score the answers."""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import UnusableReply
from bamboo_neo4j.evaluate.answering import Answer, judge
from bamboo_neo4j.evaluate.baselines import quiet
from bamboo_neo4j.evaluate.metrics import exact_match, is_abstention, is_right, rouge_l, stands_in, token_f1
from bamboo_neo4j.evaluate.results import Result, result_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bamboo_neo4j.evaluate.answering import Method
    from bamboo_neo4j.evaluate.baselines import Progress
    from bamboo_neo4j.evaluate.datasets import Question
    from bamboo_neo4j.evaluate.results import Results
    from bamboo_neo4j.models.chat import ChatModel

Outcome = Literal["correct", "abstained", "wrong"]

NOT_ANSWERABLE = "not answerable"
"""The kind of the questions whose answer the passages do not hold."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer: its name, its method, and every setting that its answers depend on."""

    name: str
    method: Method
    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Scored:
    """One result with its question, what came of it, and its scores against the best right answer.

    The scores are None where the passages do not hold the answer: then an abstention is correct.
    """

    question: Question
    result: Result
    outcome: Outcome
    exact: float | None
    f1: float | None
    rouge_l: float | None


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The means over some questions.

    `correct`, `abstained` and `wrong` are shares of all questions and sum to 1; `exact`, `f1`, `rouge_l` and
    `in_context` are means over the answerable ones, None without any (`in_context` also where nothing was
    read). `calls`, `tokens` (prompt and reply) and `seconds` are means a question, `failed` a number.
    """

    questions: int
    correct: float
    abstained: float
    wrong: float
    exact: float | None
    f1: float | None
    rouge_l: float | None
    in_context: float | None
    calls: float
    tokens: float
    seconds: float
    failed: int


@dataclass(frozen=True, slots=True)
class AnswersMeasured:
    """The scores of one way, over all questions and over each kind of them, and each answer."""

    method: str
    scores: AnswerScores
    kinds: Mapping[str, AnswerScores]
    answers: tuple[Scored, ...]


def sample(questions: Sequence[Question], limit: int | None, *, seed: int) -> tuple[Question, ...]:
    """Return `limit` of `questions`, spread evenly over their kinds, in the order of the data set.

    The same seed gives the same questions. Not answerable ones are a kind of their own.
    """
    if limit is None or limit >= len(questions):
        return tuple(questions)
    groups: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in questions:
        groups[kinds_of(question)].append(question)
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    shuffled = [chance.sample(groups[kind], len(groups[kind])) for kind in sorted(groups)]
    turns = (group[turn] for turn in range(len(questions)) for group in shuffled if turn < len(group))
    chosen = {next(turns) for _ in range(limit)}
    return tuple(question for question in questions if question in chosen)


def kinds_of(question: Question) -> tuple[str, ...]:
    """Return the kinds that `question` belongs to; a not answerable one to no other."""
    return question.kinds if question.answerable else (NOT_ANSWERABLE,)


def answer_all(
    questions: Sequence[Question],
    ways: Sequence[Way],
    *,
    corpus: str,
    results: Results,
    progress: Progress = quiet,
) -> None:
    """Have every question answered in every way, question by question; what `results` holds is not asked.

    `corpus` names the passages. Raises ModelError where the service fails; what was answered is kept.
    """
    for question in questions:
        for way in ways:
            key = key_of(question, way, corpus=corpus)
            if results.get(key) is None:
                results.add(_result(question, way, key=key))
            progress(1)


def key_of(question: Question, way: Way, *, corpus: str) -> str:
    """Return the key of the result of `way` for `question` among the passages `corpus`."""
    asked = {"corpus": corpus, "id": question.id, "text": question.text}
    return result_key(asked, {"method": way.name, **way.settings})


def _result(question: Question, way: Way, *, key: str) -> Result:
    found = way.method(question.text)
    return Result(
        key=key,
        question=question.text,
        method=way.name,
        answer="" if _abstained(found, question) else found.text,
        reason=found.reason,
        failed=found.failed,
        in_context=None if found.context is None else stands_in(found.context, question.answers),
        calls=found.usage.calls,
        prompt_tokens=found.usage.prompt_tokens,
        completion_tokens=found.usage.completion_tokens,
        seconds=round(found.seconds, 3),
    )


def _abstained(found: Answer, question: Question) -> bool:
    """A right answer may read like an abstention ("None"); where nothing is right, nothing does."""
    return is_abstention(found.text) and not (
        question.answerable and exact_match(found.text, question.answers)
    )


def judge_all(
    answered: Iterable[tuple[Question, Result]],
    model: ChatModel,
    *,
    results: Results,
    progress: Progress = quiet,
) -> None:
    """Have `model` judge each answer that a comparison of words cannot settle; each verdict is kept.

    An abstention and an exact match need no judge; a reply that is no verdict leaves the comparison in force.
    """
    for question, result in answered:
        if _needs_judge(question, result) and results.verdict(result.key, model.name) is None:
            with suppress(UnusableReply):
                right = judge(model, question.text, answers=question.answers, given=result.answer)
                results.judged(result.key, model.name, right=right)
        progress(1)


def _needs_judge(question: Question, result: Result) -> bool:
    return bool(question.answerable and result.answer and not exact_match(result.answer, question.answers))


def score(question: Question, result: Result, *, verdict: bool | None = None) -> Scored:
    """Score one result; `verdict` is the judge's, None where there is none."""
    if not question.answerable:
        return Scored(question, result, "wrong" if result.answer else "correct", None, None, None)
    right = is_right(result.answer, question.answers) if verdict is None else verdict
    outcome: Outcome = "abstained" if not result.answer else "correct" if right else "wrong"
    given = result.answer
    if not given:
        return Scored(question, result, outcome, 0.0, 0.0, 0.0)
    measures = (measure(given, question.answers) for measure in (exact_match, token_f1, rouge_l))
    return Scored(question, result, outcome, *measures)


def measured(method: str, scored: Sequence[Scored]) -> AnswersMeasured:
    """Average over `scored` (at least one) and over each kind that tells some of them from others."""
    kinds = {kind for each in scored for kind in kinds_of(each.question)}
    groups = {kind: [each for each in scored if kind in kinds_of(each.question)] for kind in sorted(kinds)}
    telling = {kind: _mean(group) for kind, group in groups.items() if len(group) < len(scored)}
    return AnswersMeasured(method, _mean(scored), telling, tuple(scored))


def _mean(scored: Sequence[Scored]) -> AnswerScores:
    def share(outcome: Outcome) -> float:
        return fmean(each.outcome == outcome for each in scored)

    def mean(value: Callable[[Scored], float | None]) -> float | None:
        values = [found for each in scored if (found := value(each)) is not None]
        return fmean(values) if values else None

    return AnswerScores(
        questions=len(scored),
        correct=share("correct"),
        abstained=share("abstained"),
        wrong=share("wrong"),
        exact=mean(lambda each: each.exact),
        f1=mean(lambda each: each.f1),
        rouge_l=mean(lambda each: each.rouge_l),
        in_context=mean(lambda each: each.result.in_context if each.question.answerable else None),
        calls=fmean(each.result.calls for each in scored),
        tokens=fmean(each.result.prompt_tokens + each.result.completion_tokens for each in scored),
        seconds=fmean(each.result.seconds for each in scored),
        failed=sum(each.result.failed for each in scored),
    )
