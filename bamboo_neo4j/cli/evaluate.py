"""`bamboo eval`: how well recall finds what it should."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from bamboo_neo4j.cli.answers import answers
from bamboo_neo4j.cli.app import note, print_json
from bamboo_neo4j.cli.asking import load_embeddings
from bamboo_neo4j.cli.learning import learning
from bamboo_neo4j.cli.measuring import advance, bars, memorise, memory_of, print_table
from bamboo_neo4j.cli.plasticity import plasticity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.progress import Progress

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.evaluate.datasets import Dataset, Question
    from bamboo_neo4j.evaluate.report import Report
    from bamboo_neo4j.evaluate.retrieval import Measured, Method
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.records import Ranking

RANKINGS: dict[str, tuple[Ranking, ...]] = {
    "both": ("bamboo", "paper"),
    "bamboo": ("bamboo",),
    "paper": ("paper",),
}
CHUNK = 1200
"""Tokens; a longer passage becomes several chunks, and twenty passages are more than twenty of them."""


@click.group("eval")
def evaluate() -> None:
    """Measure the memory on questions with known answers."""


evaluate.add_command(answers)
evaluate.add_command(learning)
evaluate.add_command(plasticity)


@evaluate.command("retrieval")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--ranking", type=click.Choice(list(RANKINGS)), default="both", help="Rankings to measure.")
@click.option("--baseline", type=click.Choice(["bm25", "none"]), default="bm25", help="Compare with this.")
@click.option("--embeddings", metavar="MODULE:ATTRIBUTE", help="Compare with these LangChain embeddings.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask only the first N questions.")
@click.option("--by-kind", is_flag=True, help="Print a row for each kind of question too.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="PNG", help="Draw the comparison.")
@click.option("--keep", is_flag=True, help="Keep the memory, and use it again next time.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def retrieval(app: App, /, files: tuple[Path, ...], **options: object) -> None:
    """Measure recall on FILE..., pooled into one corpus.

    The passages are memorised in a memory of their own, deleted afterwards. Every question with gold
    passages is asked; one that finds nothing counts as 0.

    Columns: the share of the gold passages among the first 2, 5, 10 and 20 (R@k) and the questions with all
    of them among the first 5 (AR@5), in per cent; mean tokens of what was found; median milliseconds;
    questions that found nothing. docs/evaluation.md shows the formats of files.
    """
    from bamboo_neo4j.evaluate.datasets import read_dataset
    from bamboo_neo4j.evaluate.picture import draw
    from bamboo_neo4j.evaluate.report import HEADINGS, as_json, table_rows

    chosen = _Options(**options)  # type: ignore[arg-type]
    report = _measure_all(app, read_dataset(files), files=files, options=chosen)
    if chosen.as_json:
        print_json(as_json(report))
    else:
        print_table(table_rows(report.measured, by_kind=chosen.by_kind), report.caption, headings=HEADINGS)
    if chosen.picture:
        draw(report, chosen.picture)
        note(f"picture: {chosen.picture}")


@dataclass(frozen=True, slots=True)
class _Options:
    ranking: str
    baseline: Literal["bm25", "none"]
    embeddings: str | None
    limit: int | None
    by_kind: bool
    picture: Path | None
    keep: bool
    as_json: bool


def _measure_all(app: App, dataset: Dataset, *, files: tuple[Path, ...], options: _Options) -> Report:
    """Build the baselines first: what is missing for them is said before anything is memorised."""
    from bamboo_neo4j.errors import InputError
    from bamboo_neo4j.evaluate.report import Report
    from bamboo_neo4j.memorise.tokens import count_tokens

    if not dataset.scored:
        raise InputError("no question has gold passages", hint="docs/evaluation.md shows the formats")
    asked = dataset.scored[: options.limit]
    tokens = {each.id: count_tokens(each.content) for each in dataset.passages}
    with bars(app) as progress:
        baselines = _baselines(progress, dataset, tokens=tokens, options=options)
        with memory_of(app, dataset, keep=options.keep) as memory:
            memorise(progress, memory, dataset)
            limit = _depth(tokens)
            methods: dict[str, Method] = {
                ranking: _recall_method(memory, ranking, limit=limit) for ranking in RANKINGS[options.ranking]
            }
            measured = [_ask(progress, *each, asked) for each in (methods | baselines).items()]
    unscored = len(dataset.questions) - len(dataset.scored)
    return Report(tuple(map(str, files)), len(dataset.passages), len(asked), unscored, tuple(measured))


def _baselines(
    progress: Progress, dataset: Dataset, *, tokens: Mapping[str, int], options: _Options
) -> dict[str, Method]:
    from bamboo_neo4j.evaluate.baselines import bm25, dense
    from bamboo_neo4j.evaluate.retrieval import by_ranker

    found: dict[str, Method] = {}
    if options.baseline == "bm25":
        found["BM25"] = by_ranker(bm25(dataset.passages), tokens)
    embeddings = load_embeddings(options.embeddings)
    if embeddings is not None:
        step = advance(progress, f"embedding with {options.embeddings}", len(dataset.passages))
        found["dense"] = by_ranker(dense(dataset.passages, embeddings, progress=step), tokens)
    return found


def _recall_method(memory: Memory, ranking: Ranking, *, limit: int) -> Method:
    from bamboo_neo4j.evaluate.retrieval import by_recall

    return by_recall(partial(memory.recall, limit=limit, ranking=ranking, associations=False))


def _depth(tokens: Mapping[str, int]) -> int:
    """Chunks to ask for so that twenty passages are among them."""
    from bamboo_neo4j.evaluate.retrieval import DEPTH

    return DEPTH if max(tokens.values()) <= CHUNK else 2 * DEPTH


def _ask(progress: Progress, name: str, method: Method, questions: Sequence[Question]) -> Measured:
    from bamboo_neo4j.evaluate.retrieval import measure

    return measure(name, method, questions, progress=advance(progress, f"asking {name}", len(questions)))
