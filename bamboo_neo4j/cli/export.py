"""`bamboo export` and `bamboo import`: a whole memory as a file."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import App, confirm, note, print_json
from bamboo_neo4j.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.connect.export import Exported, Imported

STANDARD = "-"


@click.command("export")
@click.argument("file", metavar="FILE")
@click.option("--yes", is_flag=True, help="Overwrite a file without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def export_command(app: App, *, file: str, yes: bool, as_json: bool) -> None:
    """Write the whole memory, with all that was learned in it, to FILE or - (standard output).

    The file is JSON, a record a line; a name that ends in .gz is compressed. It holds the memory at one
    moment, and two exports of an unchanged memory are the same bytes. bamboo import reads it.
    """
    if file == STANDARD and as_json:
        raise UsageError("--json prints to standard output too", hint="give a FILE")
    if not yes and file != STANDARD and Path(file).is_file():
        confirm(f"Overwrite {file!r}?")
    with app.open_memory() as memory:
        done = memory.export(file)
    print_json(done) if as_json else note(f"exported {sentence(done)} of the memory {done.memory!r}")


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--merge", is_flag=True, help="Add to a memory that holds something.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def import_command(app: App, *, file: str, merge: bool, as_json: bool) -> None:
    """Read what bamboo export wrote, from FILE or - (standard input), into an empty or new memory.

    The file is proved whole first: one that is damaged changes nothing. With --merge, documents that are
    there already stay as they are. An import that was cut short goes on when it is run again.
    """
    with app.open_memory() as memory, said_when_cut():
        done = memory.load(file, merge=merge)
    print_json(done) if as_json else note(f"imported {imported(done)} into the memory {done.memory!r}")


@contextmanager
def said_when_cut() -> Iterator[None]:
    """Say what is to be done when an import is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        note("what is there is consistent; the same command goes on from here")
        raise


def sentence(done: Exported) -> str:
    """Return what an export holds, in words, without what it does not."""
    return ", ".join(f"{count} {name}" for name, count in asdict(done).items() if name != "memory" and count)


def imported(done: Imported) -> str:
    """Return what an import wrote, in words."""
    return (
        f"{done.documents} documents with {done.chunks} chunks ({done.known} were there already), "
        f"learning on {done.edges} edges, {done.facts} facts, {done.episodes} episodes"
    )
