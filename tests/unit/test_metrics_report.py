from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import InputError, MissingExtra, NothingRecalled
from bamboo_neo4j.evaluate.datasets import Question
from bamboo_neo4j.evaluate.metrics import Ranked
from bamboo_neo4j.evaluate.picture import draw
from bamboo_neo4j.evaluate.report import HEADINGS, Report, as_json, plain_table, table_rows
from bamboo_neo4j.evaluate.retrieval import WARM_UP, Measured, by_ranker, by_recall, measure
from bamboo_neo4j.records import Recall, RecalledChunk

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = [
    Question("1", "first", frozenset({"a"}), kinds=("bridge", "2 steps")),
    Question("2", "second", frozenset({"a", "b"}), kinds=("single", "2 steps")),
]


def recalled(*documents: str) -> Recall:
    chunks = tuple(RecalledChunk(f"{name}:{n}", name, "", n, "", 10, 1.0) for n, name in enumerate(documents))
    return Recall("?", "m", "bamboo", (), (), (), chunks, 10 * len(chunks), (), (), 1.0)


def found(question: str) -> Ranked:
    return {"first": Ranked(("x", "a"), 20, 2.0), "second": Ranked(("b", "y", "z"), 40, 4.0)}[question]


@pytest.fixture
def report() -> Report:
    return Report(("f.jsonl",), 1200, 2, 3, (measure("ours", found, QUESTIONS),))


def test_a_document_of_several_chunks_counts_once_and_the_twenty_first_not_at_all() -> None:
    many = [f"d{number // 2}" for number in range(44)]
    ranked = by_recall(lambda _: recalled(*many))("?")
    assert ranked.ids == tuple(f"d{number}" for number in range(20))
    assert ranked.tokens == 400, "both chunks of each of the twenty"


def test_a_memory_that_recalls_nothing_has_found_nothing() -> None:
    def recall(question: str) -> Recall:
        raise NothingRecalled(question)

    ranked = by_recall(recall)("Who?")
    assert (ranked.ids, ranked.tokens) == ((), 0)


def test_a_baseline_is_charged_the_tokens_of_what_it_found() -> None:
    assert by_ranker(lambda _, k: ["a", "b"][:k], {"a": 3, "b": 4, "c": 5})("?").tokens == 7


def test_every_question_is_asked_once_after_the_warm_up() -> None:
    asked: list[str] = []
    done: list[int] = []
    many = [Question(str(n), str(n), frozenset({"a"})) for n in range(30)]

    def method(question: str) -> Ranked:
        asked.append(question)
        return Ranked((), 0, 1.0)

    assert measure("m", method, many, progress=done.append).scores.questions == 30
    assert len(asked) == 30 + WARM_UP
    assert sum(done) == 30


def test_kinds_that_all_questions_share_say_nothing() -> None:
    kinds = measure("ours", found, QUESTIONS).kinds
    assert list(kinds) == ["bridge", "single"]
    assert (kinds["bridge"].recall[2], kinds["single"].recall[2]) == (1.0, 0.5)


def test_the_table_shows_per_cent_and_lines_up(report: Report) -> None:
    rows = table_rows(report.measured, by_kind=True)
    # R@2 = (1 + ½) / 2, AR@5 = (1 + 0) / 2
    assert rows[0] == ["ours", "75.0", "75.0", "75.0", "75.0", "50.0", "30", "3.0", "0"]
    assert [row[0] for row in rows] == ["ours", "  bridge (1)", "  single (1)"]
    lines = plain_table(rows, HEADINGS).splitlines()
    assert lines[0].split() == list(HEADINGS[1:])
    assert len({len(line) for line in lines}) == 1
    assert report.caption == "1,200 passages, 2 questions; 3 without gold passages left out"


def test_json_holds_shares_not_per_cent(report: Report) -> None:
    (ours,) = json.loads(json.dumps(as_json(report)))["methods"]
    assert ours["recall@2"] == 0.75
    assert ours["all_recall@5"] == 0.5
    assert ours["kinds"]["bridge"]["questions"] == 1


def test_the_picture_is_a_png_of_every_method(report: Report, tmp_path: Path) -> None:
    other = Measured("other", report.measured[0].scores, {})
    path = tmp_path / "bars.png"
    draw(Report(("f",), 1, 2, 0, (*report.measured, other)), path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")


def test_a_picture_that_cannot_be_written_is_named(report: Report, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bars\.png' cannot be written: No such file or directory"):
        draw(report, tmp_path / "no" / "bars.png")


def test_a_picture_without_matplotlib_names_the_extra(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"(?s)matplotlib.*bamboo-neo4j\[plot\]"):
        draw(report, tmp_path / "bars.png")
