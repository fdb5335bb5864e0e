"""Portions: what one transaction takes of many chunks."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.memorise.difference import pairs_of, portions
from bamboo_neo4j.records import Chunk, Tag


def chunk(number: int, tags: int) -> Chunk:
    made = tuple(Tag(f"t{i}", f"t{i}", f"t{i}", "entity", 1.0, about=False) for i in range(tags))
    return Chunk(f"c{number}", number, "", 0, "", 0, made)


def test_a_chunk_of_four_tags_gives_six_pairs() -> None:
    assert pairs_of(4) == len(list(combinations("abcd", 2))) == 6


@given(st.lists(st.integers(0, 12), max_size=30), st.integers(1, 60))
def test_portions_keep_all_chunks_in_order_within_the_limit(tags: list[int], most: int) -> None:
    chunks = [chunk(number, count) for number, count in enumerate(tags)]
    found = list(portions(chunks, most))
    assert [one for portion in found for one in portion] == chunks
    for portion in found:
        assert portion
        assert len(portion) == 1 or sum(pairs_of(len(one.tags)) for one in portion) <= most
