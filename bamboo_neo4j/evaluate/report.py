"""The figures of an evaluation as a table for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.evaluate.metrics import DEPTHS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.evaluate.metrics import Scores
    from bamboo_neo4j.evaluate.retrieval import Measured

HEADINGS = ("", *(f"R@{k}" for k in DEPTHS), "AR@5", "tokens", "ms", "nothing")
"""Shares in per cent, mean tokens of what was found, median milliseconds, questions that found nothing."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured on which pool; `unscored` questions have no gold passage and were not asked."""

    files: tuple[str, ...]
    passages: int
    questions: int
    unscored: int
    measured: tuple[Measured, ...]

    @property
    def caption(self) -> str:
        """One sentence that says what the table is about."""
        left = f"; {self.unscored} without gold passages left out" if self.unscored else ""
        return f"{self.passages:,} passages, {self.questions:,} questions{left}"


def table_rows(measured: Sequence[Measured], *, by_kind: bool = False) -> list[list[str]]:
    """Return the cells of the table, a row a method, then with `by_kind` a row a kind below each."""
    rows = []
    for each in measured:
        rows.append(_cells(each.method, each.scores))
        if by_kind:
            rows += [_cells(f"  {kind} ({of.questions})", of) for kind, of in each.kinds.items()]
    return rows


def plain_table(rows: Sequence[Sequence[str]], headings: Sequence[str]) -> str:
    """Lay out `rows` below the headings in aligned columns, the first to the left, figures to the right."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in lines
    )


def as_json(report: Report) -> dict[str, object]:
    """Return the report as the object that `--json` prints: shares in [0, 1], rounded to four digits."""
    return {
        "files": list(report.files),
        "passages": report.passages,
        "questions": report.questions,
        "unscored": report.unscored,
        "methods": [
            {
                "method": each.method,
                **_figures(each.scores),
                "kinds": {kind: _figures(of) for kind, of in each.kinds.items()},
            }
            for each in report.measured
        ],
    }


def _cells(name: str, scores: Scores) -> list[str]:
    shares = [*(scores.recall[k] for k in DEPTHS), scores.all_recall]
    figures = [f"{100 * share:.1f}" for share in shares]
    return [name, *figures, f"{scores.tokens:.0f}", f"{scores.milliseconds:.1f}", str(scores.nothing)]


def _figures(scores: Scores) -> dict[str, object]:
    return {
        "questions": scores.questions,
        **{f"recall@{k}": round(scores.recall[k], 4) for k in DEPTHS},
        "all_recall@5": round(scores.all_recall, 4),
        "tokens": round(scores.tokens, 1),
        "milliseconds": round(scores.milliseconds, 2),
        "nothing": scores.nothing,
    }
