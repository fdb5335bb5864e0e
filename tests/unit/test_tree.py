"""The mind map in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bamboo_neo4j.cli.tree import question_tree
from bamboo_neo4j.connect.abridging import abridged
from bamboo_neo4j.records import RecalledChunk
from tests.asked import made_up


def drawn(text: str, *, evidence: bool = True) -> list[str]:
    made = made_up("m", chunks=(RecalledChunk("m:1", "d", "Mill", 0, text, 9, 0.0),))
    root = replace(made.map.root, answer=text)
    file = io.StringIO()
    console = Console(file=file, width=10_000, markup=False, highlight=False)
    console.print(question_tree(made.map.with_answers({root.id: root}), evidence=evidence))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_parts_stand_below_their_question_in_order_with_verdict_and_evidence() -> None:
    lines = drawn("It was built by Orla Venn.")
    assert lines[0].startswith("1 Where was the engineer")
    assert lines[0].endswith("→ It was built by Orla Venn.  [verified]")
    first = next(number for number, line in enumerate(lines) if "1.1 Who built" in line)
    second = next(number for number, line in enumerate(lines) if "1.2 Where was Orla Venn born?" in line)
    assert first < second
    assert lines[first] == "├── 1.1 Who built the Green Lantern Mill? → Orla Venn  [verified]"
    assert "│   ├── answered anew 1 time" in lines
    assert "│   └── [E1] Mill: It was built by Orla Venn." in lines
    assert "    └── planned as: Where was #1.1 born?" in lines


def test_without_evidence_questions_and_answers_are_left() -> None:
    assert not [line for line in drawn("x", evidence=False) if "Mill:" in line]


def test_what_models_and_documents_say_drives_no_terminal_and_breaks_no_line() -> None:
    lines = drawn("[red]a[/red]\n\x1b[2J b\u202e")
    assert lines[0].endswith(
        "→ [red]a[/red] \N{REPLACEMENT CHARACTER}[2J b\N{REPLACEMENT CHARACTER}  [verified]"
    )
    assert len(lines) == len(drawn("a"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one two three", "one two three"),
        ("one  two\nthree", "one two three"),
        ("one two three four", "one two …"),
        ("one two thre four five", "one two thre …"),
        ("東" * 40, "東" * 12 + "…"),
        ("a" * 40, "a" * 12 + "…"),
    ],
)
def test_a_long_text_is_cut_between_words_where_it_has_words(text: str, shown: str) -> None:
    assert abridged(text, 14) == shown


@given(st.text("ab 東\n", max_size=80), st.integers(10, 60))
def test_what_is_cut_is_never_longer_and_begins_as_the_text(text: str, most: int) -> None:
    shown = abridged(text, most)
    assert len(shown) <= most
    assert " ".join(text.split()).startswith(shown.removesuffix("…").rstrip())
    assert shown == " ".join(text.split()) or len(shown) > most - 40
