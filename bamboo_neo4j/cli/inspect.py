"""Commands that look at a memory: tags, documents, stats, check."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import FROM_1, App, clean, json_text, note, plain, print_json
from bamboo_neo4j.errors import FaultsFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.graph.client import Row
    from bamboo_neo4j.records import Fault

limit_option = click.option(
    "--limit", type=FROM_1, default=50, show_default=True, help="How many; --json has no limit."
)


@click.command()
@click.argument("prefix", default="")
@limit_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def tags(app: App, *, prefix: str, limit: int, as_json: bool) -> None:
    """List the tags, the most used first, or those that begin with PREFIX."""
    with app.open_memory() as memory:
        print_rows(memory.tags(prefix), ("name", "chunks", "degree", "about"), limit=limit, as_json=as_json)


@click.command()
@limit_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def documents(app: App, *, limit: int, as_json: bool) -> None:
    """List the documents with their chunks and tokens."""
    with app.open_memory() as memory:
        print_rows(memory.documents(), ("chunks", "tokens", "title", "id"), limit=limit, as_json=as_json)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def stats(app: App, *, as_json: bool) -> None:
    """Count what the memory holds, and name documents that are not whole."""
    with app.open_memory() as memory:
        numbers = memory.stats()
    if as_json:
        print_json(numbers)
        return
    for name, value in numbers.items():
        if name != "unfinished":
            click.echo(f"{name:10} {clean(str(plain(value)))}")
    unfinished = numbers["unfinished"]
    click.echo(f"{'unfinished':10} {len(unfinished)}")  # type: ignore[arg-type]
    for row in unfinished:  # type: ignore[attr-defined]
        click.echo(clean(f"  {row['id']}: {row['reason']}"))
    if not numbers["chunks"] and not numbers["facts"]:
        note("the memory is empty; bamboo ingest PATH… fills it")


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is wrong, from the chunks.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def check(app: App, *, repair: bool, as_json: bool) -> None:
    """Prove that every number in the graph is right; exit code 1 when one is not."""
    with app.open_memory() as memory:
        faults = memory.check()
        mended = memory.repair() if repair and faults else 0
        if mended:
            note(f"found {len(faults)} faults, mended {mended} things")
            faults = memory.check()
    if as_json:
        print_json({"memory": memory.name, "clean": not faults, "mended": mended, "faults": faults})
    for fault in [] if as_json else faults:
        click.echo(clean(f"{fault.invariant}: {fault.where}: expected {fault.expected}, found {fault.found}"))
    if faults:
        raise FaultsFound(
            f"{len(faults)} faults in the memory {memory.name!r}",
            hint=_next_step(faults, repair=repair),
        )
    note(f"clean: every number in the memory {memory.name!r} is right")


@click.command()
@click.option("--language", metavar="CODE", help="The language it is to have; its own if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def reindex(app: App, *, language: str | None, as_json: bool) -> None:
    """Index a memory anew, when the rules of words have changed or its language shall.

    Texts and spellings stay, no model is called. Until it is done nobody can read or write the memory; after
    an interruption, run it again.
    """
    with app.open_memory() as memory:
        chunks = memory.reindex(language=language)
        done = {"memory": memory.name, "language": memory.language, "chunks": chunks}
    if as_json:
        print_json(done)
    else:
        click.echo("indexed {chunks} chunks of memory {memory!r} anew, language {language!r}".format(**done))


def _next_step(faults: Sequence[Fault], *, repair: bool) -> str:
    from bamboo_neo4j.graph.check import UNFINISHED

    if all(fault.invariant == UNFINISHED for fault in faults):
        return "it was cut short: run what the line says"
    return "what is left needs the documents again" if repair else "bamboo check --repair mends them"


def print_rows(
    rows: Iterator[Row],
    columns: Sequence[str],
    *,
    limit: int,
    as_json: bool,
    nothing: str = "the graph is empty: nothing to list",
) -> None:
    """Print rows as they arrive: a JSON array with an object a line, or columns; `nothing` where none is."""
    if as_json:
        before = "["
        for row in rows:
            click.echo(before + "\n" + json_text(row), nl=False)
            before = ","
        click.echo("[]" if before == "[" else "\n]")
        return
    shown = list(islice(rows, limit))
    more = next(rows, None) is not None
    for line in _table(
        [[str(row[column] if row[column] is not None else "") for column in columns] for row in shown],
        columns,
    ):
        click.echo(line)
    if not shown:
        note(nothing)
    if more:
        note(f"the first {limit}; --limit or --json shows more")


def _table(rows: list[list[str]], columns: Sequence[str]) -> Iterable[str]:
    if not rows:
        return
    cells = [list(columns), *([clean(cell).replace("\n", " ") for cell in row] for row in rows)]
    widths = [min(40, max(len(row[i]) for row in cells)) for i in range(len(columns))]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
