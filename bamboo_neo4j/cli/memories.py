"""`bamboo memories`: the memories of a database: list them, forget one, copy one."""

from __future__ import annotations

import tempfile

import click

from bamboo_neo4j.cli.app import App, confirm, note, print_json
from bamboo_neo4j.cli.export import imported, said_when_cut
from bamboo_neo4j.cli.inspect import print_rows
from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.settings import memory_name


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def memories(context: click.Context, /, *, as_json: bool) -> None:
    """List the memories of the database, forget one or copy one; alone, list them."""
    if context.invoked_subcommand is None:
        _list(context.obj, as_json=as_json)


@memories.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_(app: App, *, as_json: bool) -> None:
    """List the memories of the database."""
    _list(app, as_json=as_json)


@memories.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def forget(app: App, *, name: str, yes: bool, as_json: bool) -> None:
    """Forget everything in the memory NAME; the others stay as they are."""
    memory_name(name)
    with app.open_memory(name) as memory:
        if not any(row["name"] == name for row in memory.memories()):
            raise _not_found(name)
        if not yes:
            confirm(f"Forget everything in {name!r}?")
        if not memory.forget_all():
            raise _not_found(name)
    print_json({"memory": name, "forgotten": True}) if as_json else note(f"forgotten: {name}")


@memories.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def copy(app: App, *, source: str, target: str, as_json: bool) -> None:
    """Copy the memory FROM, with all that was learned in it, to the empty or new memory TO."""
    if memory_name(source) == memory_name(target):
        raise UsageError(f"{source!r} cannot be copied to itself")
    with (
        app.open_memory(source) as original,
        app.open_memory(target) as copied,
        tempfile.TemporaryFile() as file,
        said_when_cut(),
    ):
        original.export(file)
        file.seek(0)
        done = copied.load(file)
    print_json(done) if as_json else note(f"copied {imported(done)} into the memory {target!r}")


def _list(app: App, *, as_json: bool) -> None:
    with app.open_memory() as memory:
        print_rows(memory.memories(), ("name", "language", "chunks"), limit=10_000, as_json=as_json)


def _not_found(name: str) -> NotFound:
    return NotFound(f"there is no memory {name!r}", hint="bamboo memories lists them")
