"""`bamboo questions`: what was asked of a memory, and how it was answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import FROM_1, clean, confirm, note, print_json
from bamboo_neo4j.cli.asking import write_page

if TYPE_CHECKING:
    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.storing import StoredQuestion


@click.group()
def questions() -> None:
    """Show the questions that were asked, with their mind maps."""


@questions.command("list")
@click.option("--limit", type=FROM_1, default=20, show_default=True, help="Questions at most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_command(app: App, *, limit: int, as_json: bool) -> None:
    """List the questions that were asked, the latest first: id, time, question and answer."""
    with app.open_memory() as memory:
        found = memory.questions(limit=limit)
    if as_json:
        print_json(found)
        return
    for each in found:
        click.echo(_line(each))
    if not found:
        note("no question is stored yet; bamboo ask QUESTION stores one")


@questions.command("show")
@click.argument("question", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with a picture to FILE too."
)
@click.pass_obj
def show(app: App, *, question: str, as_json: bool, html: Path | None) -> None:
    """Show one question with its mind map: answers, verdicts and evidence. The beginning of ID is enough."""
    with app.open_memory() as memory:
        found = memory.question_map(question)
    if html is not None:
        from bamboo_neo4j.connect.html import ask_page

        if write_page(ask_page(found), html):
            return
    if as_json:
        print_json(found)
    else:
        _print(found)


@questions.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def remove(app: App, *, names: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Remove stored questions with their mind maps.

    What was learned from them stays; bamboo episodes undo takes that back.
    """
    with app.open_memory() as memory:
        if not yes:
            confirm(f"Remove {len(set(names))} of the questions of {memory.name!r}?")
        removed = memory.remove_questions(*names)
    if as_json:
        print_json({"memory": memory.name, "questions": removed})
    else:
        click.echo(f"removed {removed} questions of the memory {memory.name!r}")


def _line(stored: StoredQuestion) -> str:
    name = stored.id.partition(":")[2]
    answer = f"no answer: {stored.reason}" if stored.abstained else stored.answer
    return " ".join(
        clean(f"{name[:12]}  {stored.created_at[:16]}  {stored.question}  → {answer}").split("\n")
    )


def _print(asked: Asked) -> None:
    from bamboo_neo4j.cli.tree import print_tree

    print_tree(asked)
    spent = asked.spent
    note(
        f"{asked.map.id}: asked {asked.map.created_at}, {spent.calls} calls, {spent.tokens:,} tokens, "
        f"{spent.seconds:.1f} s, model {asked.model or 'unknown'}, verifier {asked.verifier or 'none'}"
    )
