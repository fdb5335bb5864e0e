"""Pieces: complete, in order, within their limits, on the boundaries of the text."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.memorise.chunking import cut
from bamboo_neo4j.memorise.tokens import count_tokens

if TYPE_CHECKING:
    from bamboo_neo4j.records import Piece

SENTENCE = "The lighthouse keeper of Anholt wrote down the weather of every single day. "


def covers(text: str, pieces: list[Piece], maximum: int) -> None:
    """Assert what holds of every cut."""
    end = 0
    for piece in pieces:
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
        assert piece.start >= end
        assert not text[end : piece.start].strip()
        assert piece.text == piece.text.strip() != ""
        assert piece.tokens == count_tokens(piece.text) <= maximum
        end = piece.start + len(piece.text)
    assert not text[end:].strip()


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.sampled_from(
            ["\n\n", "\n", " ", "# Head\n\n", "```\n", "。", "数据库是仓库。", SENTENCE, "q" * 150, "-" * 130]
        ),
        st.sampled_from(
            [" " * 120, "é" * 60, "👩‍💻" * 20, "e\u0301" * 80, "\u200b", "\x85", "<|endoftext|>"]
        ),
    ),
    max_size=30,
).map("".join)


@settings(deadline=None)  # the first text loads the vocabulary
@given(text=TEXTS, limits=st.tuples(st.integers(0, 60), st.integers(32, 120)), markdown=st.booleans())
def test_any_text_is_covered_in_order_within_the_limits(
    text: str, limits: tuple[int, int], markdown: bool
) -> None:
    minimum, maximum = min(limits), max(limits)
    pieces = cut(text, minimum=minimum, maximum=maximum, markdown=markdown)
    covers(text, pieces, maximum)
    assert pieces == cut(text, minimum=minimum, maximum=maximum, markdown=markdown)
    if count_tokens(text) < minimum:
        assert len(pieces) == bool(text.strip())


def test_a_text_below_the_minimum_is_one_piece_and_a_blank_one_none() -> None:
    (piece,) = cut("\n\nOne.\n\nTwo.\n")
    assert (piece.text, piece.start) == ("One.\n\nTwo.", 2)
    assert cut(" \n\t\n") == []


def test_pieces_end_with_paragraphs() -> None:
    text = "\n\n".join(SENTENCE * 6 for _ in range(30))
    pieces = cut(text)
    covers(text, pieces, 1200)
    assert all(350 <= piece.tokens <= 950 for piece in pieces)
    assert all(
        (text + "\n\n")[piece.start + len(piece.text) :].lstrip(" ").startswith("\n\n") for piece in pieces
    )


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = (SENTENCE * 400).strip()
    pieces = cut(text)
    covers(text, pieces, 1200)
    assert all(piece.text.endswith(".") for piece in pieces)
    assert all(350 <= piece.tokens <= 950 for piece in pieces)


def test_a_small_last_paragraph_is_joined_with_its_neighbour() -> None:
    text = f"{SENTENCE * 30}\n\nThe end."
    assert cut(text)[-1].text.endswith("\n\nThe end.")
    assert all(piece.tokens >= 200 for piece in cut(text))


def test_a_small_last_paragraph_is_evened_out_where_joining_would_be_too_much() -> None:
    text = f"{(SENTENCE * 6).strip()}\n\n{SENTENCE * 3}"
    pieces = cut(text, minimum=50, maximum=100)
    covers(text, pieces, 100)
    assert len(pieces) == 2
    assert min(piece.tokens for piece in pieces) >= 50


def test_the_minimum_yields_to_the_maximum() -> None:
    text = SENTENCE * 40
    pieces = cut(text, minimum=100, maximum=100)
    covers(text, pieces, 100)


def test_headings_stay_with_what_is_below_them_and_code_in_one_piece() -> None:
    code = "```python\n# no heading\n\nx = 1\n\n\ny = 2\n```"
    text = "\n\n".join(f"## Part {number}\n\n{SENTENCE * 14}\n\n{code}" for number in range(6))
    pieces = cut(text, markdown=True)
    covers(text, pieces, 1200)
    assert [piece.text.split("\n")[0] for piece in pieces] == [f"## Part {number}" for number in range(6)]


def test_p03_chinese_without_spaces_is_cut_within_the_limit_and_no_full_stop_opens_a_piece() -> None:
    choose = random.Random(3)
    sentences = (
        "".join(choose.choices("数据库是按照结构来组织存储和管理的仓", k=choose.randint(5, 60))) + "。"
        for _ in range(700)
    )
    text = "".join(sentences)[:20_000]
    pieces = cut(text, maximum=1000)
    covers(text, pieces, 1000)
    assert "".join(piece.text for piece in pieces) == text
    assert not any(piece.text.startswith("。") for piece in pieces)
    assert all(piece.text.endswith("。") for piece in pieces[:-1])
    assert all(piece.tokens >= 200 for piece in pieces)


@pytest.mark.parametrize("end", ["。", "」。", "！？", "e\u0301"])
def test_p03_a_closing_sign_stays_with_what_it_closes_even_in_a_run_without_sentences(end: str) -> None:
    text = ("字" * 37 + end) * 400
    for piece in cut(text, minimum=20, maximum=40):
        assert piece.text[0] == "字" or piece.text[0] == "e"


def test_p06_an_unbroken_run_ends_within_seconds() -> None:
    text = "Top " + "q" * 20_000 + " End"
    begin = time.process_time()
    covers(text, cut(text, maximum=500), 500)
    assert time.process_time() - begin < 5


def test_p06_five_megabytes_on_one_line_end_within_seconds() -> None:
    """Proved at a tenth of the size: half a megabyte takes its share, and a quarter of it about a quarter."""
    rows = [
        {"id": number, "name": f"item {number}", "tags": ["a", "b", str(number * 7919)]}
        for number in range(8_700)
    ]
    text = json.dumps(rows, separators=(",", ":"))
    assert len(text) > 500_000
    cut(text[:1000])  # reads the tokenizer's tables
    begin = time.process_time()
    cut(text[: len(text) // 4])
    quarter = time.process_time() - begin
    pieces = cut(text)
    whole = time.process_time() - begin - quarter
    assert whole < 6
    assert whole < 8 * max(quarter, 0.1), "four times the text would take sixteen times as long"
    assert max(piece.tokens for piece in pieces) <= 1200
    assert all(one.start + len(one.text) <= two.start for one, two in pairwise(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "-" * 50_000,
        " " * 50_000 + "x",
        "。" * 9_000,
        "👩‍💻" * 4_000,
        "e\u0301" * 9_000,
        "a\n\n" * 9_000,
        "# h\n\n" * 3_000,
    ],
)
def test_p06_runs_of_any_kind_end_within_seconds(text: str) -> None:
    begin = time.process_time()
    covers(text, cut(text, markdown=True), 1200)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(("minimum", "maximum"), [(501, 500), (-1, 500), (0, 31), (0, 0), (0, -5)])
def test_p06_limits_that_cannot_be_met_are_refused_before_any_work(minimum: int, maximum: int) -> None:
    with pytest.raises(UsageError, match="tokens a chunk"):
        cut("", minimum=minimum, maximum=maximum)
