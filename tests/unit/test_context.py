"""Context: what is packed under a limit and a budget of tokens, and what is said of the rest."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo_neo4j.recall import context
from bamboo_neo4j.recall.context import Packed, pack


class Item(NamedTuple):
    id: str
    tokens: int


def items(*tokens: int) -> list[Item]:
    return [Item(f"c{number}", cost) for number, cost in enumerate(tokens)]


ONE_MORE = "1 more chunk that was found lies beyond the limit of {}"


def test_without_a_budget_the_first_chunks_are_taken_whatever_they_cost() -> None:
    assert pack(items(10**6, 1, 2, 3), limit=3) == Packed((0, 1, 2), 10**6 + 3, (ONE_MORE.format(3),))


def test_a_chunk_that_does_not_fit_is_skipped_and_packing_goes_on() -> None:
    packed = pack(items(60, 50, 40, 1), limit=4, tokens=100)
    assert (packed.places, packed.tokens) == ((0, 2), 100)
    assert packed.cut == ("2 chunks do not fit into the 100 tokens: c1 (50), c3 (1)",)


def test_a_budget_may_be_filled_to_the_last_token() -> None:
    assert pack(items(50, 50), limit=5, tokens=100) == Packed((0, 1), 100, ())


def test_packing_ends_at_the_limit_and_what_lies_beyond_is_said() -> None:
    assert pack(items(1, 1, 1), limit=2, tokens=100) == Packed((0, 1), 2, (ONE_MORE.format(2),))
    assert pack(items(*[1] * 5), limit=2).cut == ("3 more chunks that were found lie beyond the limit of 2",)
    assert pack(items(1, 1), limit=2).cut == ()


def test_what_takes_the_place_of_a_chunk_that_did_not_fit_is_not_cut_itself() -> None:
    # With more tokens c0 and c1 come back; c2 would not, whatever the tokens.
    packed = pack(items(200, 50, 60, 50), limit=2, tokens=100)
    assert packed.places == (1, 3)
    assert packed.cut == ("1 chunk does not fit into the 100 tokens: c0 (200)", ONE_MORE.format(2))


def test_many_cut_chunks_are_counted_and_the_first_are_named() -> None:
    many = context.NAMED + 2
    packed = pack(items(*[9] * many), limit=many, tokens=5)
    assert packed.places == ()
    named = ", ".join(f"c{number} (9)" for number in range(context.NAMED))
    assert packed.cut == (f"{many} chunks do not fit into the 5 tokens: {named} and 2 more",)


def test_nothing_packs_to_nothing() -> None:
    assert pack([], limit=5, tokens=10) == Packed((), 0, ())


costs = st.lists(st.integers(0, 120), max_size=30)
limits = st.integers(1, 12)
budgets = st.none() | st.integers(1, 300)


@settings(deadline=None)  # a busy machine is no failure
@given(costs, limits, budgets)
def test_limit_and_budget_are_never_exceeded(tokens: list[int], limit: int, budget: int | None) -> None:
    packed = pack(items(*tokens), limit=limit, tokens=budget)
    assert len(packed.places) <= limit
    assert packed.tokens == sum(tokens[place] for place in packed.places)
    assert budget is None or packed.tokens <= budget
    assert list(packed.places) == sorted(set(packed.places))


@settings(deadline=None)  # a busy machine is no failure
@given(costs, limits, budgets)
def test_nothing_that_would_fit_is_left_out_before_the_last_place(
    tokens: list[int], limit: int, budget: int | None
) -> None:
    packed = pack(items(*tokens), limit=limit, tokens=budget)
    end = packed.places[-1] if len(packed.places) == limit else len(tokens)
    for place in set(range(end)) - set(packed.places):
        used = sum(tokens[each] for each in packed.places if each < place)
        assert budget is not None
        assert used + tokens[place] > budget


@settings(deadline=None)  # a busy machine is no failure
@given(costs, limits, budgets)
def test_a_cut_is_said_when_something_is_left_out_and_the_tokens_when_more_would_give_other_chunks(
    tokens: list[int], limit: int, budget: int | None
) -> None:
    packed = pack(items(*tokens), limit=limit, tokens=budget)
    assert bool(packed.cut) is (len(packed.places) < len(tokens))
    too_long = any("not fit" in said for said in packed.cut)
    assert too_long is (packed.places != pack(items(*tokens), limit=limit).places)


@settings(deadline=None)  # a busy machine is no failure
@given(costs, limits, st.integers(1, 300))
def test_a_chunk_at_the_end_never_changes_what_was_packed_before_it(
    tokens: list[int], limit: int, budget: int
) -> None:
    before = pack(items(*tokens), limit=limit, tokens=budget)
    after = pack(items(*tokens, 1), limit=limit, tokens=budget)
    assert after.places[: len(before.places)] == before.places
