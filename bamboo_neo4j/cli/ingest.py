"""`bamboo ingest` and `bamboo forget`: what goes into a memory and out of it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import App, confirm, note, print_json
from bamboo_neo4j.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bamboo_neo4j.memorise.planning import Plan
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.records import Failure, Remembered

SOME_FAILED = 1
SHOWN = 20
"""Failures that are listed one by one; --json has all."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--tagger", default="rules", show_default=True, metavar="NAME", help="rules, llm or module:function."
)
@click.option("--vocabulary", metavar="FILE", help="Allow the tags of this file only, one a line.")
@click.option(
    "--tags", type=click.IntRange(1, 64), metavar="N", help="Tags a chunk; by its length if not given."
)
@click.option(
    "--chunk-tokens", default="200:1200", show_default=True, metavar="MIN:MAX", help="Size of a chunk."
)
@click.option(
    "--id",
    "document_id",
    metavar="ID",
    help="The id of the document; refused when PATH… holds more than one.",
)
@click.option("--replace", is_flag=True, help="Give an id that belongs to another source to this one.")
@click.option(
    "--language", metavar="CODE", help="Language of a new memory, such as en or de (BAMBOO_LANGUAGE)."
)
@click.option("--dry-run", is_flag=True, help="Count chunks, tokens and model calls; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def ingest(
    context: click.Context,
    /,
    *,
    paths: tuple[str, ...],
    chunk_tokens: str,
    document_id: str | None,
    vocabulary: str | None,
    replace: bool,
    dry_run: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - tagger, tags and language go on as they are
) -> None:
    """Memorise files, folders, globs or - (standard input).

    Text, Markdown, HTML, PDF, DOCX, CSV, JSON and JSONL. Ingesting again changes nothing where
    nothing changed and takes the difference where something did. One bad file never stops the rest; the exit
    code is then 1.
    """
    app: App = context.obj
    options |= {"chunk_tokens": _sizes(chunk_tokens), "vocabulary": Path(vocabulary) if vocabulary else None}
    with app.open_memory() as memory:
        if dry_run:
            plan = memory.plan(paths, id=document_id, replace=replace, **options)
            print_json(plan) if as_json else _print_plan(plan)
            failed = bool(plan.failed)
        else:
            with _progress() as progress, _said_when_cut(memory, as_json=as_json):
                done = memory.ingest(paths, id=document_id, replace=replace, progress=progress, **options)
            print_json(done) if as_json else _print_done(done, memory.name)
            failed = bool(done.failed)
    if failed:
        context.exit(SOME_FAILED)


@click.command()
@click.argument("documents", nargs=-1, metavar="DOCUMENT…")
@click.option("--all", "everything", is_flag=True, help="Forget the whole memory.")
@click.option("--missing", is_flag=True, help="Forget the documents whose files are gone.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def forget(
    app: App, *, documents: tuple[str, ...], everything: bool, missing: bool, yes: bool, as_json: bool
) -> None:
    """Take documents back: by id, URI or path. What they gave to weights goes with them."""
    if bool(documents) + everything + missing != 1:
        raise UsageError("name documents, or --all, or --missing", hint="bamboo documents lists them")
    with app.open_memory() as memory:
        if missing:
            documents = tuple(memory.missing())
            for document in documents:
                note(f"missing: {document}")
            if not documents:
                yes = True
        what = "everything in" if everything else f"{len(documents)} documents of"
        if not yes:
            confirm(f"Forget {what} {memory.name!r}?")
        chunks = _forget_all(memory) if everything else memory.forget(*documents)
    result = {
        "memory": memory.name,
        "documents": None if everything else len(set(documents)),
        "chunks": chunks,
    }
    print_json(result) if as_json else click.echo(f"forgot {what} {memory.name!r}: {chunks} chunks")


def _forget_all(memory: Memory) -> int:
    chunks = int(str(memory.stats()["chunks"]))
    if not memory.forget_all():
        raise NotFound(f"there is no memory {memory.name!r}", hint="bamboo memories lists them")
    return chunks


def _sizes(text: str) -> tuple[int, int]:
    minimum, colon, maximum = text.partition(":")
    if not (colon and minimum.isdecimal() and maximum.isdecimal()):
        raise UsageError(f"--chunk-tokens takes MIN:MAX, not {text!r}", hint="for example 200:1200")
    return int(minimum), int(maximum)


@contextmanager
def _progress() -> Iterator[Callable[[str, str], None] | None]:
    """Show a bar on a terminal; elsewhere nothing until the end."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed} documents"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),  # a file may be called "[/red]"
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def show(source: str, outcome: str) -> None:
            bars.update(task, advance=1, description=f"{outcome} {source[-60:]!r}")

        yield show


@contextmanager
def _said_when_cut(memory: Memory, *, as_json: bool) -> Iterator[None]:
    """Say what is done and what is not when an ingest ends early; as JSON, all of it."""
    try:
        yield
    except BaseException:
        if memory.last is not None:
            done, unfinished = memory.last.remembered(), memory.last.unfinished()
            if as_json:
                print_json({**asdict(done), "unfinished": unfinished})
            elif unfinished:
                _print_unfinished(done, unfinished)
        raise


def _print_unfinished(done: Remembered, unfinished: list[str]) -> None:
    for name in unfinished[:SHOWN]:
        note(f"unfinished: {name}")
    if len(unfinished) > SHOWN:
        note(f"unfinished: {len(unfinished) - SHOWN} more; --json lists all")
    note(
        f"done until here: {done.added} added, {done.updated} updated, {done.unchanged} unchanged; "
        "the graph is consistent, the same command goes on from here"
    )


def _print_done(done: Remembered, memory: str) -> None:
    print_failures(done.warnings, "warning")
    print_failures(done.skipped, "skipped")
    print_failures(done.failed, "failed")
    inputs = f"{done.added} added, {done.updated} updated, {done.unchanged} unchanged"
    others = f"{len(done.skipped)} skipped, {len(done.failed)} failed"
    seconds = done.milliseconds / 1000
    click.echo(f"{inputs}, {others}: {done.chunks} new chunks in memory {memory!r}, {seconds:.1f} s")


def _print_plan(plan: Plan) -> None:
    print_failures(plan.skipped, "skipped")
    print_failures(plan.failed, "failed")
    numbers = asdict(plan)
    click.echo(
        "{documents} documents to write, {unchanged} unchanged: {chunks} chunks, {tokens} tokens, "
        "{calls} model calls; nothing was written".format(**numbers)
    )


def print_failures(failures: Sequence[Failure], word: str) -> None:
    """Print inputs that failed, or were passed over, with the reason of each; the first ones of many."""
    for one in failures[:SHOWN]:
        note(f"{word}: {one.source}: {one.reason}")
    if len(failures) > SHOWN:
        note(f"{word}: {len(failures) - SHOWN} more; --json lists all")
