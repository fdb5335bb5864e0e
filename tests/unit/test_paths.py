"""The path of an answer: shares by hand, and what counts as used together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.learn.paths import MOST_TOGETHER, UsedFact, used_edges
from bamboo_neo4j.learn.states import decode, decode_count
from bamboo_neo4j.records import EdgeState, RecalledChunk, UsedEdge, UsedPair, Via


def chunk(name: str, *edges: tuple[str, str]) -> RecalledChunk:
    """A recalled chunk with a path."""
    via = tuple(Via(*edge, degree, 1, 0.5) for degree, edge in enumerate(edges, 1))
    return RecalledChunk(name, "d", "", 0, "", 1, 1.0, via)


def path(edges: tuple[UsedEdge, ...]) -> dict[tuple[str, str], float]:
    """The edges of a path with their shares."""
    return {
        (each.source, each.target): each.share for each in edges if not each.together and each.fact is None
    }


def together(edges: tuple[UsedEdge, ...]) -> set[tuple[str, str]]:
    """The pairs used together."""
    return {(each.source, each.target) for each in edges if each.together}


def test_a_single_hop_has_the_share_one() -> None:
    assert path(used_edges([chunk("c", ("a", "b"))])) == {("a", "b"): 1.0}


def test_a_share_is_the_number_of_cited_chunks_relative_to_the_most_used_edge() -> None:
    cited = [chunk("1", ("a", "b"), ("b", "c")), chunk("2", ("b", "a"), ("b", "d")), chunk("3", ("a", "b"))]
    assert path(used_edges(cited)) == {("a", "b"): 1.0, ("b", "c"): 1 / 3, ("b", "d"): 1 / 3}


def test_a_pair_that_a_module_joined_counts_for_its_chunk_once() -> None:
    cited = [chunk("1", ("a", "b")), chunk("2", ("a", "b"))]
    pairs = [UsedPair("b", "a", "1"), UsedPair("a", "c", "2"), UsedPair("a", "a", "2")]
    assert path(used_edges(cited, pairs)) == {("a", "b"): 1.0, ("a", "c"): 0.5}


def test_the_ends_of_a_path_are_used_together_and_its_edges_are_not() -> None:
    assert together(used_edges([chunk("1", ("a", "b"), ("b", "c"))])) == {("a", "c")}
    assert together(used_edges([chunk("1", ("a", "b")), chunk("2", ("b", "c"))])) == set()


def test_facts_bring_their_ends_together_but_not_across_one_of_them() -> None:
    facts = [UsedFact("f1", "bank", "payments"), UsedFact("f2", "payments", "eu")]
    found = used_edges([], facts=[*facts, facts[0]])
    assert [(each.fact, each.share) for each in found if each.fact] == [("f1", 1.0), ("f2", 0.5)]
    assert together(found) == {("bank", "eu")}


def test_nothing_used_is_no_path() -> None:
    assert used_edges([]) == ()
    assert used_edges([chunk("1")]) == ()


names = st.sampled_from([f"t{number}" for number in range(30)])


@given(st.lists(st.lists(st.tuples(names, names), max_size=20), max_size=8))
def test_every_share_is_in_range_each_pair_stands_once_and_the_work_is_bounded(
    edges: list[list[tuple[str, str]]],
) -> None:
    found = used_edges([chunk(str(number), *each) for number, each in enumerate(edges)])
    pairs = [(each.source, each.target) for each in found]
    assert all(0 < each.share <= 1 for each in found)
    assert len(set(pairs)) == len(pairs)
    assert all(source < target for source, target in pairs)
    assert len(together(found)) <= MOST_TOGETHER
    assert not found or max(each.share for each in found) == 1


def test_states_are_three_numbers_an_edge_and_one_that_was_never_used_has_none() -> None:
    assert decode([0.55, 4.0, 1.0, -1.0, -1.0, -1.0, 0.0, -3.0, 2.0]) == (
        EdgeState(0.55, 4, 1),
        EdgeState(),
        EdgeState(0.0, -3, 2),
    )
    assert [decode_count(count) for count in (-1, 0, 3, None)] == [None, 0, 3, None]
