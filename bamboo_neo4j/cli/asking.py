"""What commands that take a question have in common: where it comes from, and the page of what was found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import note
from bamboo_neo4j.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that a command reads."""

goals_option = click.option(
    "--goals", type=FILE, metavar="FILE", help="Goals and limits, JSON, that answers must serve."
)


validators_option = click.option(
    "--validators",
    type=click.Choice(["rules", "model"]),
    default="rules",
    show_default=True,
    help="rules: no model is called; model: a model judges.",
)

embeddings_option = click.option(
    "--embeddings",
    metavar="MODULE:ATTRIBUTE",
    help="Compare by meaning with these LangChain embeddings, not by words.",
)

LONGEST_QUESTION = 1_000_000
"""Characters that are read from standard input."""


def read_question(question: str) -> str:
    """Return the question that was given, or standard input where it is `-`; bytes that are no text go.

    Raises UsageError for standard input without an end.
    """
    if question != "-":
        return question
    data = getattr(sys.stdin, "buffer", sys.stdin).read(LONGEST_QUESTION + 1)
    if len(data) > LONGEST_QUESTION:
        raise UsageError(
            f"standard input is longer than {LONGEST_QUESTION:,} bytes", hint="ask a shorter question"
        )
    return (data if isinstance(data, str) else data.decode("utf-8-sig", "ignore")).strip()


def read_words(question: str) -> str:
    """Return the question as `read_question` does; raise UsageError where it holds no letter and no digit."""
    from bamboo_neo4j.reason.asking import require_words

    question = read_question(question)
    require_words(question)
    return question


def load_embeddings(name: str | None) -> Embeddings | None:
    """Return the embeddings called `module:attribute`, of the current folder first; None for None.

    Raises UsageError where that is not possible.
    """
    from bamboo_neo4j.evaluate.baselines import load_embeddings as load

    if name is None:
        return None
    sys.path.insert(0, str(Path.cwd()))
    return load(name)


def write_page(page: str, path: Path) -> bool:
    """Write a page to `path` and say so; return whether that was standard output."""
    from bamboo_neo4j.connect.html import write

    write(page, path)
    if str(path) == "-":
        return True
    note(f"page: {path}")
    return False
