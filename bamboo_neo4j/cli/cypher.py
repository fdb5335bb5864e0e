"""`bamboo cypher`: every statement that bamboo runs, ready to read and to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.graph.statements import Statement


@click.command("cypher")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cypher(name: str | None, *, as_json: bool) -> None:
    """List the Cypher statements, or print the one called NAME.

    A statement is printed with its documentation and with sample parameters that work on the graph of `bamboo
    demo`: paste it into Neo4j Browser or cypher-shell. NAME may be short (associate), or a folder (recall).
    """
    found = _find(name)
    if as_json:
        shown = [_as_json(statement) for statement in found]
        print_json(shown[0] if len(found) == 1 and name not in _folders() else shown)
    elif len(found) == 1 and name not in _folders():
        click.echo(pasteable(found[0].source))
    else:
        width = max(len(statement.name) for statement in found)
        for statement in found:
            click.echo(f"{statement.name:{width}}  {statement.summary}")


def pasteable(source: str) -> str:
    """Return the text of a statement's file with the semicolon that cypher-shell waits for."""
    text = source.rstrip()
    return text if text.endswith(";") else f"{text};"


def _find(name: str | None) -> list[Statement]:
    """Return the statements that `name` means: all, those of a folder, or one; NotFound if there is none."""
    from bamboo_neo4j.graph.statements import load, names

    if name is None:
        return [load(each) for each in names()]
    wanted = name.removesuffix(".cypher").strip("/")
    meant = [each for each in names() if each == wanted] or _ending(names(), wanted)
    return [load(each) for each in meant or [wanted]]


def _ending(names: Sequence[str], wanted: str) -> list[str]:
    return [each for each in names if wanted in each.split("/")]


def _folders() -> set[str]:
    from bamboo_neo4j.graph.statements import names

    return {each.split("/")[0] for each in names()}


def _as_json(statement: Statement) -> dict[str, object]:
    return {
        "name": statement.name,
        "about": statement.about,
        "returns": statement.returns,
        "parameters": dict(statement.parameters),
        "text": statement.text,
    }
