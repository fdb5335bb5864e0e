"""`bamboo recall` and `bamboo neighbours`: what a memory associates with a question or a tag."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import FROM_0, FROM_1, App, clean, note, plain, print_json
from bamboo_neo4j.cli.asking import read_question, write_page
from bamboo_neo4j.connect.abridging import abridged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.records import Association, Recall, RecalledChunk

SHOWN = 300
"""Characters of a chunk that are shown; --explain and --json show all."""
SHOWN_ASSOCIATIONS = 10


@click.command()
@click.argument("question", metavar="QUESTION")
@click.option("--first", type=FROM_0, default=5, show_default=True, help="Neighbours of each cue.")
@click.option(
    "--second",
    type=FROM_0,
    default=3,
    show_default=True,
    help="Neighbours of each of those.",
)
@click.option("--limit", type=FROM_1, default=10, show_default=True, help="Chunks at most.")
@click.option("--tokens", type=FROM_1, metavar="N", help="Tokens of all chunks together at most.")
@click.option(
    "--ranking",
    type=click.Choice(["bamboo", "paper"]),
    default="bamboo",
    show_default=True,
    help="paper: BambooKG's context as published.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Show whole texts, all associations, and a Cypher statement that draws the paths.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with a picture to FILE too."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def recall(
    app: App,
    /,
    *,
    question: str,
    explain: bool,
    html: Path | None,
    as_json: bool,
    **options: Any,  # noqa: ANN401
) -> None:
    """Recall the chunks and the associations for a question; - reads it from standard input.

    No model is called and nothing is written. The exit code is 3 when the memory has not learned what is
    asked.
    """
    question = read_question(question)
    with app.open_memory() as memory:
        found = memory.recall(question, **options)
        statement = memory.explain(found) if explain else None
    if html is not None:
        from bamboo_neo4j.connect.html import recall_page

        if write_page(recall_page(found), html):
            return
    if as_json:
        print_json(recall_json(found, statement))
        return
    for line in _lines(found, explain=explain):
        click.echo(clean(line))
    if statement:
        note("\nDraw these paths in Neo4j Browser with:")
        click.echo(statement)
    for cut in found.truncated:
        note(f"cut: {cut}")


@click.command()
@click.argument("tag", metavar="TAG")
@click.option("--first", type=FROM_1, default=20, show_default=True, help="Neighbours of the tag.")
@click.option(
    "--second",
    type=FROM_0,
    default=0,
    show_default=True,
    help="Neighbours of each of those.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def neighbours(app: App, *, tag: str, first: int, second: int, as_json: bool) -> None:
    """Show the tags that occur together with TAG, the closest first."""
    with app.open_memory() as memory:
        found = memory.neighbours(tag, first=first, second=second)
    if as_json:
        print_json(found)
        return
    for association in found:
        click.echo(clean(_association(association)))


def recall_json(found: Recall, statement: str | None = None) -> dict[str, Any]:
    """Return a recall with the keys of its JSON: a cue has `tag` or `word`."""
    data: dict[str, Any] = plain(found)
    data["cues"] = [
        {"tag": cue.tag, "text": cue.text} if cue.tag is not None else {"word": cue.word, "text": cue.text}
        for cue in found.cues
    ]
    return data if statement is None else data | {"explain": statement}


def _lines(found: Recall, *, explain: bool) -> Iterator[str]:
    yield "cues: " + ", ".join(cue.tag or f"{cue.text} (word)" for cue in found.cues)
    if found.unknown:
        yield "not known: " + ", ".join(found.unknown)
    if found.associations:
        yield ""
        yield "associations:"
        yield from _associations(found.associations, limit=None if explain else SHOWN_ASSOCIATIONS)
    yield ""
    for number, chunk in enumerate(found.chunks, start=1):
        yield from _chunk(number, chunk, explain=explain)
    yield f"{len(found.chunks)} chunks, {found.tokens} tokens, {found.milliseconds:.0f} ms"


def _associations(associations: Sequence[Association], *, limit: int | None) -> Iterator[str]:
    for association in associations[:limit]:
        yield f"  {_association(association)}"
    if limit is not None and len(associations) > limit:
        yield f"  … and {len(associations) - limit} more (--explain)"


def _association(association: Association) -> str:
    way = " → ".join(filter(None, (association.cue, association.through, association.tag)))
    learned = f"weight {association.weight}, strength {association.strength:.2f}"
    return f"{way}  ({learned}, score {association.score:.3f})"


def _chunk(number: int, chunk: RecalledChunk, *, explain: bool) -> Iterator[str]:
    title = f"{chunk.title} · " if chunk.title else ""
    place = f"{chunk.document} #{chunk.ordinal}"
    yield f"{number}. {title}{place}  (score {chunk.score:.3f}, {chunk.tokens} tokens)"
    text = " ".join(chunk.text.split())
    yield f"   {text if explain else abridged(text, SHOWN)}"
    for via in chunk.via:
        edge = f"degree {via.degree}, weight {via.weight}, strength {via.strength:.2f}"
        yield f"   via {via.source} – {via.target}  ({edge})"
    yield ""
