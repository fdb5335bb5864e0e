"""What commands that take a question have in common: where it comes from, and the page of what was found."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bamboo_neo4j.cli.app import note

FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that a command reads."""

goals_option = click.option(
    "--goals", type=FILE, metavar="FILE", help="Goals and limits, JSON, that answers must serve."
)


def read_question(question: str) -> str:
    """Return the question that was given, or standard input where it is `-`."""
    return sys.stdin.read().strip() if question == "-" else question


def write_page(page: str, path: Path) -> bool:
    """Write a page to `path` and say so; return whether that was standard output."""
    from bamboo_neo4j.connect.html import write

    write(page, path)
    if str(path) == "-":
        return True
    note(f"page: {path}")
    return False
