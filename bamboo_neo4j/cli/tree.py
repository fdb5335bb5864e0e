"""A mind map as a tree in the terminal: each question with its answer, verdict and evidence."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from bamboo_neo4j.cli.app import clean
from bamboo_neo4j.connect.abridging import abridged

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from bamboo_neo4j.reason.asked import Asked, Evidence, MindMap, Question

SHOWN = 160
"""Characters of a sentence of evidence that are shown."""
WIDE = 1_000_000
"""Columns where the output is no terminal: a line is never broken."""

_STYLES = {
    "verified": "green",
    "unverified": "yellow",
    "rejected": "red",
    "abstained": "magenta",
    "open": "dim",
}
_ENDINGS = {
    "depth": "not taken apart: the map is as deep as it may be",
    "nodes": "not taken apart: the map is as large as it may be",
    "repeated": "not taken apart: it is asked elsewhere in the map",
    "copied": "not taken apart: its parts would have been itself",
    "unplanned": "not taken apart: there was no usable plan",
}


def print_tree(asked: Asked, *, evidence: bool = True) -> None:
    """Print the mind map of `asked` on standard output; without `evidence`, questions and answers alone."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else WIDE
    console = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=not terminal)
    console.print(question_tree(asked.map, evidence=evidence))


def question_tree(mind_map: MindMap, *, evidence: bool = True) -> Tree:
    """Return a mind map as a tree; text of models and documents is text, never a style."""
    from rich.tree import Tree

    root = Tree(_headline(mind_map.root))
    waiting = [(root, mind_map.root)]
    while waiting:
        branch, question = waiting.pop()
        for line in _details(question, evidence=evidence):
            branch.add(line)
        waiting += [(branch.add(_headline(part)), part) for part in mind_map.parts(question)]
    return root


def _headline(question: Question) -> Text:
    from rich.text import Text

    verdict = str(question.verdict)
    line = Text(f"{question.number} " if question.number else "", style="dim")
    line.append(_plain(question.asked or question.text), style="bold")
    if verdict != "open":
        line.append(f" → {_plain(question.answer)}" if question.answer else "", style="none")
        line.append(f"  [{verdict}]", style=_STYLES.get(verdict, "none"))
    return line


def _details(question: Question, *, evidence: bool) -> list[Text]:
    from rich.text import Text

    lines = []
    if question.asked and question.asked != question.text:
        lines.append(f"planned as: {_plain(question.text)}")
    if question.ending in _ENDINGS:
        lines.append(_ENDINGS[question.ending])
    if question.rethinks:
        lines.append(f"answered anew {question.rethinks} time{'s' if question.rethinks > 1 else ''}")
    if question.reason:
        lines.append(f"because: {_plain(question.reason)}")
    if evidence:
        lines += [_evidence(each) for each in question.evidence]
        lines += [f"against it: {_evidence(each)}" for each in question.against]
    return [Text(line, style="dim") for line in lines]


def _evidence(evidence: Evidence) -> str:
    place = evidence.title or evidence.document or evidence.kind
    label = f"[{evidence.label}] " if evidence.label else ""
    return f"{label}{_plain(place)}: {abridged(_plain(evidence.text), SHOWN)}"


def _plain(text: str) -> str:
    return " ".join(clean(text).split())
