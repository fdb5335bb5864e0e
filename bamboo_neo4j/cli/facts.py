"""`bamboo facts`: stated triples: load them, list them, remove them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import App, confirm, print_json
from bamboo_neo4j.cli.ingest import SOME_FAILED, print_failures
from bamboo_neo4j.cli.inspect import limit_option, print_rows
from bamboo_neo4j.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bamboo_neo4j.records import Fact, FactsLoaded

COLUMNS = (
    "subject",
    "predicate",
    "object",
    "confidence",
    "strength",
    "valid_from",
    "valid_to",
    "source",
    "id",
)


@click.group()
def facts() -> None:
    """Load facts, list them, remove them."""


@facts.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def load(context: click.Context, /, *, files: tuple[str, ...], as_json: bool) -> None:
    """Load facts from CSV with a header, JSON lines, or - (standard input).

    Columns: subject, predicate, object, and where wanted confidence (0 to 1), source, validFrom, validTo.
    Loading again changes nothing where nothing changed. A bad line stops no other; the exit code is then 1.
    """
    app: App = context.obj
    with app.open_memory() as memory:
        with _progress() as progress:
            loaded = memory.load_facts(files, progress=progress)
        print_json(loaded) if as_json else _print_loaded(loaded, memory.name)
    if loaded.failed:
        context.exit(SOME_FAILED)


@facts.command("list")
@click.option("--subject", metavar="TEXT", help="Of this subject only.")
@click.option("--predicate", metavar="TEXT", help="With this predicate only.")
@click.option("--object", "object_", metavar="TEXT", help="With this object only.")
@click.option("--as-of", metavar="DATE", help="What was valid on this day, or at this time, only.")
@limit_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_(
    app: App,
    *,
    subject: str | None,
    predicate: str | None,
    object_: str | None,
    as_of: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List facts, with their strength at the memory's present cycle."""
    with app.open_memory() as memory:
        found = memory.facts(subject=subject, predicate=predicate, object=object_, as_of=as_of)
        rows = (_row(fact, exact=as_json) for fact in found)
        print_rows(rows, COLUMNS, limit=limit, as_json=as_json, nothing="no such fact")


@facts.command()
@click.argument("ids", nargs=-1, metavar="ID…")
@click.option("--all", "everything", is_flag=True, help="Remove every fact of the memory.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def remove(app: App, *, ids: tuple[str, ...], everything: bool, yes: bool, as_json: bool) -> None:
    """Remove facts by ID, with the tags that nothing else holds."""
    if bool(ids) == everything:
        raise UsageError("name facts by id, or --all", hint="bamboo facts list shows ids")
    with app.open_memory() as memory:
        what = "every fact" if everything else f"{len(set(ids))} facts"
        if not yes:
            confirm(f"Remove {what} of {memory.name!r}?")
        removed = memory.remove_all_facts() if everything else memory.remove_facts(*ids)
    result = {"memory": memory.name, "facts": removed}
    print_json(result) if as_json else click.echo(f"removed {removed} facts of the memory {memory.name!r}")


def _row(fact: Fact, *, exact: bool) -> dict[str, object]:
    return {
        "id": fact.id,
        "subject": fact.subject_text,
        "predicate": fact.predicate,
        "object": fact.object_text,
        "confidence": fact.confidence,
        "strength": fact.strength if exact else round(fact.strength, 3),
        "source": fact.source,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "activations": fact.activations,
        "tags": [fact.subject, fact.object],
    }


@contextmanager
def _progress() -> Iterator[Callable[[int], None] | None]:
    """Show the number of lines read on a terminal; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed} facts"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda read: bars.update(task, completed=read)


def _print_loaded(loaded: FactsLoaded, memory: str) -> None:
    print_failures(loaded.warnings, "warning")
    print_failures(loaded.failed, "failed")
    click.echo(
        f"{loaded.added} added, {loaded.updated} updated, {loaded.unchanged} unchanged, "
        f"{len(loaded.failed)} failed in memory {memory!r}, {loaded.milliseconds / 1000:.1f} s"
    )
