"""`bamboo eval learning`: what validated answers bring for the questions that come after them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import FROM_1, print_json
from bamboo_neo4j.cli.measuring import advance, bars, memorise, memory_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.evaluate.learning import Group, Trial

HEADINGS = ("", "questions", "frozen", "adaptive", "difference")
"""Questions of all seeds, R@5 in per cent before and after learning, and the difference in points."""


@click.command("learning")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--seeds", type=FROM_1, default=3, show_default=True, help="Random halvings of the questions.")
@click.option("--limit", type=FROM_1, metavar="N", help="Use only the first N questions.")
@click.option("--keep", is_flag=True, help="Keep the memory, and use it again next time.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def learning(
    app: App, /, files: tuple[Path, ...], seeds: int, limit: int | None, *, keep: bool, as_json: bool
) -> None:
    """Measure what recall learns from validated answers on FILE..., pooled into one corpus.

    The gold passages of one half of the questions are learned as validated answers. Then all questions are
    asked again: the same ones (repeated), those of the other half that share a tag with one of them
    (related), and the rest (unrelated).

    Columns: questions, R@5 in per cent before (frozen) and after (adaptive), and the difference in points;
    means over the seeds.
    """
    from bamboo_neo4j.errors import InputError
    from bamboo_neo4j.evaluate.datasets import read_dataset
    from bamboo_neo4j.evaluate.learning import compare

    dataset = read_dataset(files)
    asked = dataset.scored[:limit]
    if len(asked) < 2:  # noqa: PLR2004 - two halves
        raise InputError("fewer than two questions have gold passages", hint="docs/evaluation.md says more")
    with bars(app) as progress, memory_of(app, dataset, keep=keep) as memory:
        memorise(progress, memory, dataset)
        step = advance(progress, "asking", len(asked) * (1 + seeds))
        trials = compare(memory, asked, seeds=seeds, progress=step)
    if as_json:
        print_json(_as_json(trials, files=files, passages=len(dataset.passages), questions=len(asked)))
    else:
        _print_table(trials, caption=f"{len(dataset.passages):,} passages, {len(asked):,} questions")


def _rows(trials: Sequence[Trial]) -> dict[str, Group]:
    from bamboo_neo4j.evaluate.learning import GROUPS, pooled

    rows = {"repeated and related": pooled([trial.learned for trial in trials])}
    rows.update((name, pooled([trial.groups[name] for trial in trials])) for name in GROUPS)
    return rows


def _print_table(trials: Sequence[Trial], *, caption: str) -> None:
    from bamboo_neo4j.evaluate.report import plain_table

    cells = []
    for name, row in _rows(trials).items():
        figures = [f"{100 * row.frozen:.1f}", f"{100 * row.adaptive:.1f}", f"{100 * row.gain:+.2f}"]
        cells.append([name, str(row.questions), *(figures if row.questions else ["–"] * 3)])
    episodes = ", ".join(str(trial.episodes) for trial in trials)
    click.echo(f"{caption}; episodes learned: {episodes}\n{plain_table(cells, HEADINGS)}")


def _as_json(
    trials: Sequence[Trial], *, files: Sequence[Path], passages: int, questions: int
) -> dict[str, object]:
    return {
        "files": [str(file) for file in files],
        "passages": passages,
        "questions": questions,
        "trials": [
            {
                "seed": trial.seed,
                "episodes": trial.episodes,
                "groups": {name: _figures(group) for name, group in trial.groups.items()},
            }
            for trial in trials
        ],
        "mean": {name: _figures(row) for name, row in _rows(trials).items()},
    }


def _figures(row: Group) -> dict[str, object]:
    return {
        "questions": row.questions,
        "frozen": round(row.frozen, 4),
        "adaptive": round(row.adaptive, 4),
        "difference": round(row.gain, 4),
    }
