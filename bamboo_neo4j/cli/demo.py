"""`bamboo demo`: a first look, from nothing to recalled chunks and the edges that led to them."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import clean, note, print_json
from bamboo_neo4j.cli.recall import recall_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.records import Document, Recall, RecalledChunk

MEMORY = "demo"
ASKED = 2
"""Questions of the sample that the demo asks; the others are for the reader to try."""
SHOWN = 3
"""Chunks and edges shown for a question: a look, not a listing."""
WIDTH = 100


@click.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def demo(app: App, *, as_json: bool) -> None:
    """See the whole of it in a minute.

    Starts the managed local Neo4j unless NEO4J_URI names another one, memorises twelve short documents about
    an invented island in the memory "demo", asks two questions that need two documents each, and says where
    to look next. Running it again changes nothing.
    """
    with app.open_memory(MEMORY) as memory:
        done = memory.remember(sample_documents())
        note(f"{done.added} documents memorised, {done.unchanged} known already")
        recalls = [(each, memory.recall(each["question"], limit=5)) for each in sample_questions()[:ASKED]]
        stats = memory.stats()
    if as_json:
        shown = [{"expected": each, "recall": recall_json(found)} for each, found in recalls]
        print_json({"server": memory.address, "stats": stats, "questions": shown, "next": next_steps()})
        return
    _print_stats(memory, stats)
    for each, found in recalls:
        _print_recall(each, found)
    _print_next()


def sample_documents() -> Iterator[Document]:
    """Yield the documents of the sample; a document's first line is its title."""
    from bamboo_neo4j.records import Document

    folder = files("bamboo_neo4j") / "sample" / "documents"
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        kind = "text/markdown" if path.name.endswith(".md") else "text/plain"
        yield Document(f"sample/{path.name}", "", title.lstrip("# "), text.strip(), kind)


def sample_questions() -> list[dict[str, Any]]:
    """Return the questions of the sample, each with its answer and the two documents that it needs."""
    text = (files("bamboo_neo4j") / "sample" / "questions.json").read_text(encoding="utf-8")
    questions: list[dict[str, Any]] = json.loads(text)
    return questions


def next_steps() -> dict[str, str]:
    """Return commands to go on with, and what each does."""
    question = sample_questions()[ASKED]["question"]
    return {
        f'bamboo --memory {MEMORY} recall "{question}"': "ask another one",
        f'bamboo --memory {MEMORY} neighbours "Saltgate Bridge"': "see what goes with a tag",
        "bamboo browser": "open the graph in Neo4j Browser",
        "bamboo cypher": "read the Cypher behind all this",
        'bamboo ingest FOLDER && bamboo recall "…"': "do it with documents of your own",
    }


def _print_stats(memory: Memory, stats: dict[str, object]) -> None:
    names = ("documents", "chunks", "tags", "edges")
    counts = ", ".join(f"{stats[name]:,} {name}" for name in names if name in stats)
    click.echo(f"The memory {MEMORY!r} in Neo4j at {memory.address} holds {counts}.")


def _print_recall(expected: dict[str, Any], found: Recall) -> None:
    click.echo(f"\n{expected['question']}")
    for number, chunk in enumerate(found.chunks[:SHOWN], start=1):
        click.echo(f"  {number}. {clean(chunk.title)}{'  *' if _needed(chunk, expected) else ''}")
        click.echo(f"     {_shorten(chunk, expected)}")
        for line in _paths(chunk)[:SHOWN]:
            click.echo(f"     {line}")
    click.echo(f"  * needed to answer: {expected['answer']}")


def _needed(chunk: RecalledChunk, expected: dict[str, Any]) -> bool:
    return chunk.document.removeprefix("sample/") in expected["documents"]


def _shorten(chunk: RecalledChunk, expected: dict[str, Any]) -> str:
    """Return the line that holds the answer if there is one, else the first, cut at a word."""
    lines = [line for line in chunk.text.splitlines() if line.strip()]
    line = next((line for line in lines if expected["answer"] in line), lines[0])
    return clean(line) if len(line) <= WIDTH else clean(line[: WIDTH - 1].rsplit(" ", 1)[0]) + " …"


def _paths(chunk: RecalledChunk) -> list[str]:
    """Return a line for each edge that led to a chunk, whichever way it was walked."""
    seen: dict[frozenset[str], str] = {}
    for via in chunk.via:
        together = "1 chunk" if via.weight == 1 else f"{via.weight} chunks"
        line = clean(f"via {via.source} – {via.target}, together in {together}")
        seen.setdefault(frozenset({via.source, via.target}), line)
    return list(seen.values())


def _print_next() -> None:
    steps = next_steps()
    width = max(map(len, steps))
    click.echo("\nGo on with:")
    for command, purpose in steps.items():
        click.echo(f"  {command:{width}}  {purpose}")
