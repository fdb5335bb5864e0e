"""What measuring needs on the command line: a memory of the passages alone, bars, and a table."""

from __future__ import annotations

import secrets
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import clean, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.progress import Progress
    from rich.table import Table

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.evaluate.datasets import Dataset
    from bamboo_neo4j.memory import Memory


@contextmanager
def memory_of(app: App, dataset: Dataset, *, keep: bool) -> Iterator[Memory]:
    """Open a memory named after the passages; unless kept, one of this run only, which is deleted again."""
    name = f"eval-{dataset.digest}" if keep else f"eval-{dataset.digest}-{secrets.token_hex(4)}"
    with app.open_memory(name) as memory:
        try:
            yield memory
        finally:
            if not keep:
                memory.forget_all()


def memorise(progress: Progress, memory: Memory, dataset: Dataset) -> None:
    """Memorise the passages, each a document of its own; say how many were not."""
    from bamboo_neo4j.records import Document

    documents = (
        Document(id=each.id, uri="", title=each.title, text=each.text, media_type="text/plain")
        for each in dataset.passages
    )
    step = advance(progress, f"memorising in {memory.name}", len(dataset.passages))
    done = memory.remember(documents, progress=lambda _document, _outcome: step(1))
    if lost := (*done.failed, *done.skipped):
        note(f"{len(lost)} passages were not memorised, the first: {lost[0].source}: {lost[0].reason}")


def bars(app: App) -> Progress:
    """Bars on a terminal; elsewhere a line a step, said by `advance`."""
    from rich.progress import Progress

    return Progress(console=app.console, transient=True, disable=not app.console.is_terminal)


def advance(progress: Progress, step: str, total: int) -> Callable[[int], None]:
    """Begin a step of `total` pieces; the function that is returned says how many more are done."""
    task = progress.add_task(step, total=total)
    if progress.disable:
        note(f"{step}: {total:,}")
    return partial(progress.advance, task)


def print_table(rows: Iterable[Sequence[str]], caption: str, *, headings: Sequence[str]) -> None:
    """Print rows below a caption: drawn on a terminal, elsewhere in plain columns."""
    from bamboo_neo4j.evaluate.report import plain_table

    shown, caption = printable(rows), " ".join(clean(caption).split())
    if not sys.stdout.isatty():
        click.echo(f"{caption}\n{plain_table(shown, headings)}")
        return
    from rich.console import Console

    Console().print(drawn_table(shown, caption, headings=headings))


def printable(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return rows of cells, one a line: names of kinds come from files and may hold anything."""
    return [[clean(cell).replace("\n", " ").replace("\t", " ") for cell in row] for row in rows]


def drawn_table(rows: Sequence[Sequence[str]], caption: str, *, headings: Sequence[str]) -> Table:
    """Return the table for a terminal; a cell in brackets is text, not a style."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=caption)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
