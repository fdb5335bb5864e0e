"""`bamboo eval answers`: how well questions are answered, beside simpler ways with the same model."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import FROM_0, FROM_1, note, print_json
from bamboo_neo4j.cli.measuring import advance, bars, memorise, memory_of, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.evaluate.answering import Method
    from bamboo_neo4j.evaluate.answers import AnswersMeasured, Way
    from bamboo_neo4j.evaluate.answers_report import AnswersReport
    from bamboo_neo4j.evaluate.datasets import Dataset, Question
    from bamboo_neo4j.evaluate.results import Results
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.settings import Settings

METHODS = ("direct", "steps", "passages", "ask")
ABLATIONS: dict[str, dict[str, Any]] = {
    "ask --no-decompose": {"decompose": False},
    "ask --no-global": {"use_global": False},
    "ask --no-verify": {"verify": False},
}


@click.command("answers")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--unanswerable",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Pool FILE too; the right answer to its questions is none.",
)
@click.option("--method", "methods", multiple=True, type=click.Choice(METHODS), help="Measure these only.")
@click.option("--ablations", is_flag=True, help="Measure ask without each of its three parts too.")
@click.option("--depth", type=FROM_0, default=3, show_default=True, help="Depth of the mind map of ask.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=900,
    show_default=True,
    help="Seconds for one answer of ask.",
)
@click.option("--model", metavar="NAME", help="The model that answers (BAMBOO_MODEL).")
@click.option("--verifier", metavar="NAME", help="The model that checks in ask (BAMBOO_VERIFIER_MODEL).")
@click.option("--judge", metavar="NAME", help="A model of the same server that judges what words cannot.")
@click.option("--limit", type=FROM_1, metavar="N", help="Ask N questions, spread over their kinds.")
@click.option("--seed", type=FROM_0, default=0, show_default=True, help="Which N questions.")
@click.option("--results", type=click.Path(path_type=Path), metavar="FILE", help="Go on with FILE (JSONL).")
@click.option("--by-kind", is_flag=True, help="Print a row for each kind of question too.")
@click.option("--keep", is_flag=True, help="Keep the memory, and use it again next time.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every answer.")
@click.pass_obj
def answers(app: App, /, files: tuple[Path, ...], **options: object) -> None:
    """Measure answers to the questions of FILE..., whose passages are pooled into one corpus.

    Ways to answer, all with the same model: direct (the model alone), steps (it thinks first), passages
    (the first five chunks of recall, then one call), ask (the mind map). The passages are memorised in a
    memory of their own, deleted afterwards; nothing is learned.

    Columns: questions answered correctly, not answered, and answered wrongly, in per cent (no answer is the
    correct one where the passages hold none); exact match, F1 and Rouge-L of the answerable questions;
    those whose answer stood in what the model could read (ctx); mean calls, tokens and seconds a question;
    questions without a usable reply. With --results a run that was stopped is gone on with.
    docs/evaluation.md shows the formats of files.
    """
    from bamboo_neo4j.evaluate.answers_report import HEADINGS, answer_rows, answers_json
    from bamboo_neo4j.evaluate.datasets import read_dataset

    chosen = _Options(**options)  # type: ignore[arg-type]
    dataset = read_dataset(files, unanswerable=chosen.unanswerable)
    report = _measure(app, dataset, files=(*files, *chosen.unanswerable), options=chosen)
    if chosen.as_json:
        print_json(answers_json(report))
    else:
        print_table(answer_rows(report.measured, by_kind=chosen.by_kind), report.caption, headings=HEADINGS)


@dataclass(frozen=True, slots=True)
class _Options:
    unanswerable: tuple[Path, ...]
    methods: tuple[str, ...]
    ablations: bool
    depth: int
    max_seconds: float
    model: str | None
    verifier: str | None
    judge: str | None
    limit: int | None
    seed: int
    results: Path | None
    by_kind: bool
    keep: bool
    as_json: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The ways to measure, in the order of the table."""
        chosen = tuple(name for name in METHODS if not self.methods or name in self.methods)
        return (*chosen, *(ABLATIONS if self.ablations else ()))

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of ask that can be set here."""
        return {"depth": self.depth, "max_seconds": self.max_seconds}


@dataclass(frozen=True, slots=True)
class _Models:
    model: ChatModel
    verifier: ChatModel
    judge: ChatModel | None


def _measure(app: App, dataset: Dataset, *, files: tuple[Path, ...], options: _Options) -> AnswersReport:
    """Open the models first: what is missing for them is said before anything is memorised."""
    from bamboo_neo4j.errors import InputError
    from bamboo_neo4j.evaluate.answers import sample
    from bamboo_neo4j.evaluate.answers_report import AnswersReport
    from bamboo_neo4j.evaluate.results import Results

    asked = sample(dataset.asked, options.limit, seed=options.seed)
    if not asked:
        raise InputError(
            "no question has an answer to compare with", hint="docs/evaluation.md shows the formats"
        )
    with ExitStack() as opened:
        models = _open_models(app.settings, options, opened)
        results = opened.enter_context(Results(options.results))
        ways = _answer(app, dataset, asked, models=models, options=options, results=results)
        _judge(app, dataset, asked, ways=ways, judge=models.judge, results=results)
        scored = _scored(dataset, asked, ways=ways, judge=models.judge, results=results)
    return AnswersReport(
        files=tuple(map(str, files)),
        passages=len(dataset.passages),
        questions=len(asked),
        unanswerable=sum(not question.answerable for question in asked),
        model=models.model.name,
        verifier=models.verifier.name,
        judge=models.judge.name if models.judge else "",
        measured=scored,
    )


def _open_models(settings: Settings, options: _Options, opened: ExitStack) -> _Models:
    from bamboo_neo4j.models.chat import open_chat, open_verifier

    model = open_chat(settings, model=options.model)
    named = options.verifier or settings["verifier_model"] or settings["verifier_url"]
    models = _Models(
        model=model,
        verifier=open_verifier(settings, model=options.verifier) if named else model,
        judge=open_chat(settings, model=options.judge) if options.judge else None,
    )
    for each in (models.model, models.verifier, models.judge):
        if callable(close := getattr(each, "close", None)):
            opened.callback(close)
    return models


def _answer(
    app: App,
    dataset: Dataset,
    asked: Sequence[Question],
    *,
    models: _Models,
    options: _Options,
    results: Results,
) -> list[Way]:
    """Have every question answered in every way; a run that is only read again needs no memory."""
    from bamboo_neo4j.evaluate.answers import answer_all, key_of

    window = app.settings["model_window"]
    unread = _ways(None, models, options, window=window)
    keys = [key_of(question, way, corpus=dataset.digest) for question in asked for way in unread]
    waiting = sum(results.get(key) is None for key in keys)
    if options.results is None:
        note("without --results FILE, a run that is stopped begins anew")
    if waiting < len(keys):
        note(f"{len(keys) - waiting:,} of {len(keys):,} answers are in {options.results}")
    if not waiting:
        return unread
    with ExitStack() as stack:
        progress = stack.enter_context(bars(app))
        memory = stack.enter_context(memory_of(app, dataset, keep=options.keep))
        memorise(progress, memory, dataset)
        ways = _ways(memory, models, options, window=window)
        step = advance(progress, f"answering with {models.model.name}", len(keys))
        answer_all(asked, ways, corpus=dataset.digest, results=results, progress=step)
    return ways


def _ways(memory: Memory | None, models: _Models, options: _Options, *, window: str) -> list[Way]:
    """Return the ways to measure; without a memory, to know them by their settings only."""
    from bamboo_neo4j.evaluate.answering import timed
    from bamboo_neo4j.evaluate.answers import Way

    ways = []
    for name in options.names:
        settings: dict[str, object] = {"model": models.model.name, "prompts": _prompts()}
        if name.startswith("ask"):
            settings |= {"verifier": models.verifier.name, "window": window, **options.limits}
        method = _method(name, memory, models, options)
        ways.append(Way(name, timed(method, [models.model, models.verifier]), settings))
    return ways


def _method(name: str, memory: Memory | None, models: _Models, options: _Options) -> Method:
    from bamboo_neo4j.evaluate import answering

    if name == "direct":
        return answering.direct(models.model)
    if name == "steps":
        return answering.steps(models.model)
    if memory is None:
        return answering.none
    if name == "passages":
        recall = partial(memory.recall, limit=answering.PASSAGES, associations=False)
        return answering.passages(models.model, recall)
    chosen = {**options.limits, **ABLATIONS.get(name, {})}
    verifier = models.verifier

    def asks(question: str, model: ChatModel) -> Asked:
        return memory.ask(question, learn=False, store=False, model=model, verifier=verifier, **chosen)

    return answering.by_ask(asks, models.model)


def _prompts() -> str:
    """Return a digest of all prompts: other words may give other answers."""
    from importlib import resources

    folder = resources.files("bamboo_neo4j.models").joinpath("prompts")
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".md")), key=lambda file: file.name
    )
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _judge(
    app: App,
    dataset: Dataset,
    asked: Sequence[Question],
    *,
    ways: Sequence[Way],
    judge: ChatModel | None,
    results: Results,
) -> None:
    from bamboo_neo4j.evaluate.answers import judge_all, key_of

    if judge is None:
        return
    pairs = [
        (question, found)
        for question in asked
        for way in ways
        if (found := results.get(key_of(question, way, corpus=dataset.digest)))
    ]
    with bars(app) as progress:
        step = advance(progress, f"judging with {judge.name}", len(pairs))
        judge_all(pairs, judge, results=results, progress=step)


def _scored(
    dataset: Dataset,
    asked: Sequence[Question],
    *,
    ways: Sequence[Way],
    judge: ChatModel | None,
    results: Results,
) -> tuple[AnswersMeasured, ...]:
    from bamboo_neo4j.evaluate.answers import key_of, measured, score

    found = []
    for way in ways:
        scored = []
        for question in asked:
            result = results.get(key_of(question, way, corpus=dataset.digest))
            if result is not None:
                verdict = results.verdict(result.key, judge.name) if judge else None
                scored.append(score(question, result, verdict=verdict))
        found.append(measured(way.name, scored))
    return tuple(found)
