"""What documents hold never drives the terminal, in lines for people, in tables and in JSON."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bamboo_neo4j.cli.app import clean, json_text, print_json
from bamboo_neo4j.cli.inspect import print_rows
from bamboo_neo4j.cli.measuring import drawn_table, printable
from bamboo_neo4j.evaluate.datasets import Question
from bamboo_neo4j.evaluate.metrics import Ranked
from bamboo_neo4j.evaluate.report import HEADINGS, Report, plain_table, table_rows
from bamboo_neo4j.evaluate.retrieval import measure

UNSAFE = [
    *map(chr, range(0x7F, 0xA0)),
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "\ud83d",
    "\x1b",
]


@pytest.mark.parametrize("character", UNSAFE, ids=ascii)
def test_what_could_drive_a_terminal_is_escaped_in_json_and_replaced_in_lines(
    character: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_json({"name": f"a{character}b"})
    printed = capsys.readouterr().out
    assert f"a\\u{ord(character):04x}b" in printed
    assert character not in printed
    assert clean(f"a{character}b") == "a\ufffdb"


def test_rows_are_printed_without_what_could_drive_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"name": "".join(UNSAFE)}
    print_rows(iter([row]), ("name",), limit=1, as_json=True)
    printed = capsys.readouterr().out
    assert not set(UNSAFE) & set(printed)
    assert json.loads(printed) == [row]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_what_it_was_given(text: str) -> None:
    assert json.loads(json_text({"text": text})) == {"text": text}


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"])))
def test_p37_every_other_character_is_itself(text: str) -> None:
    assert clean(text) == text
    assert json_text(text) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("kind", ["[red]bold[/red]", "[/]", "a\x9b31mb", "a\u202eb", "two\nlines"])
def test_a_kind_of_question_is_printed_as_text(kind: str) -> None:
    questions = [Question("1", "first", frozenset("a"), kinds=(kind,)), Question("2", "x", frozenset("a"))]
    measured = measure("ours", lambda _: Ranked(("a",), 1, 1.0), questions)
    report = Report(("f",), 1, 2, 0, (measured,))
    rows = printable(table_rows(report.measured, by_kind=True))
    out = io.StringIO()
    Console(file=out, width=200).print(drawn_table(rows, report.caption, headings=HEADINGS))
    shown = clean(kind).replace("\n", " ")
    for text in (out.getvalue(), plain_table(rows, HEADINGS)):
        assert f"{shown} (1)" in text
        assert not {"\x9b", "\u202e"} & set(text)
