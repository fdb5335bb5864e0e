"""The figures of an evaluation of answers as a table for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.evaluate.answers import AnswerScores, AnswersMeasured, Scored

HEADINGS = ("", "correct", "abst.", "wrong", "EM", "F1", "R-L", "ctx", "calls", "tokens", "s", "failed")
"""Shares in per cent, means a question, and the number of questions without a usable reply."""


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """What was measured on which pool, by which models; `judge` is "" where words alone decide."""

    files: tuple[str, ...]
    passages: int
    questions: int
    unanswerable: int
    model: str
    verifier: str
    judge: str
    measured: tuple[AnswersMeasured, ...]

    @property
    def caption(self) -> str:
        """Two sentences that say what the table is about, and how coarse it is."""
        without = f", {self.unanswerable} of them not answerable from these" if self.unanswerable else ""
        judged = f", judged by {self.judge}" if self.judge else ""
        return (
            f"{self.passages:,} passages, {self.questions:,} questions{without}; model {self.model}{judged}. "
            f"One question is {100 / self.questions:.1f} points."
        )


def answer_rows(measured: Sequence[AnswersMeasured], *, by_kind: bool = False) -> list[list[str]]:
    """Return the cells of the table, a row a method, then with `by_kind` a row a kind below each."""
    rows = []
    for each in measured:
        rows.append(_cells(each.method, each.scores))
        if by_kind:
            rows += [_cells(f"  {kind} ({of.questions})", of) for kind, of in each.kinds.items()]
    return rows


def answers_json(report: AnswersReport) -> dict[str, object]:
    """Return the report as the object that `--json` prints: shares in [0, 1], rounded to four digits."""
    return {
        "files": list(report.files),
        "passages": report.passages,
        "questions": report.questions,
        "unanswerable": report.unanswerable,
        "model": report.model,
        "verifier": report.verifier,
        "judge": report.judge or None,
        "methods": [
            {
                "method": each.method,
                **_figures(each.scores),
                "kinds": {kind: _figures(of) for kind, of in each.kinds.items()},
                "answers": [_answer(one) for one in each.answers],
            }
            for each in report.measured
        ],
    }


def _cells(name: str, scores: AnswerScores) -> list[str]:
    shares = (
        scores.correct,
        scores.abstained,
        scores.wrong,
        scores.exact,
        scores.f1,
        scores.rouge_l,
        scores.in_context,
    )
    costs = (f"{scores.calls:.1f}", f"{scores.tokens:.0f}", f"{scores.seconds:.1f}", str(scores.failed))
    return [name, *("-" if share is None else f"{100 * share:.1f}" for share in shares), *costs]


def _figures(scores: AnswerScores) -> dict[str, object]:
    return {
        "questions": scores.questions,
        "correct": round(scores.correct, 4),
        "abstained": round(scores.abstained, 4),
        "wrong": round(scores.wrong, 4),
        "exact_match": _rounded(scores.exact),
        "f1": _rounded(scores.f1),
        "rouge_l": _rounded(scores.rouge_l),
        "answer_in_context": _rounded(scores.in_context),
        "calls": round(scores.calls, 2),
        "tokens": round(scores.tokens, 1),
        "seconds": round(scores.seconds, 2),
        "failed": scores.failed,
    }


def _answer(scored: Scored) -> dict[str, object]:
    return {
        "id": scored.question.id,
        "question": scored.question.text,
        "answers": list(scored.question.answers) if scored.question.answerable else [],
        "answer": scored.result.answer or None,
        "outcome": scored.outcome,
        "reason": scored.result.reason,
        "f1": _rounded(scored.f1),
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
