"""Ranking: its formulas against values worked out by hand, and what must hold whatever the numbers are."""

from __future__ import annotations

import random
from dataclasses import replace
from math import isclose, log
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo_neo4j.normalise import SEPARATOR
from bamboo_neo4j.recall import ranking
from bamboo_neo4j.recall.ranking import Candidate, Corpus, Link, Name, Query, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

K1, B = ranking.K1, ranking.B
TEN = Corpus(chunks=10, terms=60)  # mean length 6
WORDS = ("ash", "birch", "cedar", "elm", "fir")


def chunk(name: str, terms: str, *, length: int | None = None, about: tuple[int, ...] = ()) -> Candidate:
    split = tuple(terms.split())
    counted = sum(term != SEPARATOR for term in split)
    return Candidate(name, split, counted if length is None else length, about)


def query(
    words: Mapping[str, float], *names: Name, neighbours: Mapping[tuple[str, str], float] | None = None
) -> Query:
    """A question; words that only stand in its neighbours are known too, with no weight of their own."""
    pairs = neighbours or {}
    return Query({**{word: 0.0 for pair in pairs for word in pair}, **words}, pairs, names)


def saturated(count: float, length: float, mean: float = 6.0) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean))


# What the memory knows of itself.


@pytest.mark.parametrize(
    ("df", "inside"), [(0, 1 + 10.5 / 0.5), (1, 1 + 9.5 / 1.5), (5, 1 + 5.5 / 5.5), (10, 1 + 0.5 / 10.5)]
)
def test_idf_is_the_logarithm_of_how_rare_a_word_is(df: int, inside: float) -> None:
    assert TEN.idf(df) == pytest.approx(log(inside))


def test_idf_counts_no_more_chunks_than_there_are() -> None:
    assert TEN.idf(11) == TEN.idf(10) > 0


@settings(deadline=None)  # a busy machine is no failure
@given(st.integers(1, 10**7), st.data())
def test_a_rarer_word_never_weighs_less(chunks: int, data: st.DataObject) -> None:
    corpus = Corpus(chunks, chunks)
    rare, common = sorted(data.draw(st.tuples(*[st.integers(0, 2 * chunks)] * 2)))
    assert corpus.idf(rare) >= corpus.idf(common) > 0


def test_specificity_is_idf_on_the_scale_of_the_memory() -> None:
    assert TEN.most == pytest.approx(log(11))
    assert TEN.specificity(2) == pytest.approx(log(1 + 8.5 / 2.5) / log(11))


def test_an_empty_memory_has_a_length_of_one_and_no_specificity() -> None:
    assert (Corpus(0, 0).mean_length, Corpus(0, 0).specificity(0)) == (1.0, 0.0)
    assert Corpus(3, 0).mean_length == 1.0
    assert TEN.mean_length == 6.0


# How much a word of the question counts in a chunk.


def test_importance_saturates_with_the_count_and_falls_with_the_length() -> None:
    one = chunk("a", "ash birch ash elm", length=12)
    assert ranking.importance(one, ["ash", "birch", "cedar"], TEN) == {
        "ash": pytest.approx(saturated(2, 12)),
        "birch": pytest.approx(saturated(1, 12)),
    }


def test_a_word_in_a_chunk_of_mean_length_counts_one() -> None:
    assert ranking.importance(chunk("a", "ash", length=6), ["ash"], TEN)["ash"] == pytest.approx(1.0)


@settings(deadline=None)  # a busy machine is no failure
@given(st.integers(1, 40), st.integers(1, 400))
def test_importance_grows_with_the_count_and_stays_below_its_limit(count: int, length: int) -> None:
    fewer = ranking.importance(chunk("a", "ash " * count, length=length), ["ash"], TEN)["ash"]
    more = ranking.importance(chunk("a", "ash " * (count + 1), length=length), ["ash"], TEN)["ash"]
    longer = ranking.importance(chunk("a", "ash " * count, length=length + 1), ["ash"], TEN)["ash"]
    assert 0 < longer < fewer < more < K1 + 1


# A chunk's own score.


def test_the_words_of_the_question_are_summed_by_weight_and_importance() -> None:
    score, held = ranking.evidence(chunk("a", "ash cedar cedar"), query({"ash": 2.0, "cedar": 3.0}), TEN)
    assert score == pytest.approx(2 * saturated(1, 3) + 3 * saturated(2, 3))
    assert set(held) == {"ash", "cedar"}


def test_neighbouring_words_count_only_where_they_are_neighbours_in_that_order() -> None:
    asked = query({}, neighbours={("ash", "birch"): 3.0})
    worth = ranking.NEIGHBOURS * 3.0
    assert ranking.evidence(chunk("a", "elm ash birch ash birch"), asked, TEN)[0] == pytest.approx(worth)
    for apart in ("birch ash", "ash elm birch", f"ash {SEPARATOR} birch", "ash", ""):
        assert ranking.evidence(chunk("a", apart), asked, TEN)[0] == 0


def test_neighbouring_words_are_found_however_often_one_is_repeated() -> None:
    asked = query({}, neighbours={("ash", "ash"): 1.0})
    assert ranking.evidence(chunk("a", "ash ash ash"), asked, TEN)[0] == pytest.approx(ranking.NEIGHBOURS)


def test_a_chunk_about_a_name_gains_what_the_name_is_worth() -> None:
    name = Name(7, frozenset(), 4.5, frozenset({"a"}))
    assert ranking.evidence(chunk("a", "elm", about=(3, 7)), query({}, name), TEN)[0] == 4.5
    assert ranking.evidence(chunk("b", "elm", about=(3,)), query({}, name), TEN)[0] == 0


def test_a_name_of_too_many_chunks_still_adds_to_those_about_it() -> None:
    name = Name(7, frozenset({"ash"}), 4.5, frozenset())
    score, _ = ranking.evidence(chunk("a", "ash", length=6, about=(7,)), query({"ash": 1.0}, name), TEN)
    assert score == pytest.approx(1.0 + 4.5)


def test_words_of_a_resolved_name_count_less_in_other_chunks() -> None:
    name = Name(7, frozenset({"ash", "birch"}), 4.0, frozenset({"a"}))
    asked = query({"ash": 2.0, "elm": 3.0}, name)
    ours, _ = ranking.evidence(chunk("a", "ash elm", length=6, about=(7,)), asked, TEN)
    other, _ = ranking.evidence(chunk("b", "ash elm", length=6), asked, TEN)
    assert ours == pytest.approx(2 + 3 + 4)
    assert other == pytest.approx(2 * ranking.RESOLVED + 3)


@pytest.mark.parametrize(
    "name",
    [
        Name(7, frozenset({"ash"}), 4.0, frozenset({"a"}), weak=True),
        Name(7, frozenset({"ash"}), 4.0, frozenset()),
        Name(7, frozenset({"ash"}), 4.0, frozenset({"a", "b"})),
    ],
    ids=["weak", "not resolved", "about this chunk too"],
)
def test_words_count_in_full_where_their_name_resolves_nothing_else(name: Name) -> None:
    score, _ = ranking.evidence(chunk("b", "ash", length=6), query({"ash": 2.0}, name), TEN)
    assert score == pytest.approx(2.0)


def test_a_word_of_two_names_is_reduced_once() -> None:
    names = [Name(number, frozenset({"ash"}), 1.0, frozenset({f"x{number}"})) for number in (7, 8)]
    score, _ = ranking.evidence(chunk("b", "ash", length=6), query({"ash": 2.0}, *names), TEN)
    assert score == pytest.approx(2.0 * ranking.RESOLVED)


def test_the_score_before_reduction_is_what_importance_says() -> None:
    name = Name(7, frozenset({"ash"}), 4.0, frozenset({"a"}))
    _, held = ranking.evidence(chunk("b", "ash", length=6), query({"ash": 2.0}, name), TEN)
    assert held == {"ash": pytest.approx(1.0)}


# Round 1.


def test_round_one_divides_by_the_best_and_orders_by_score_then_id() -> None:
    asked = query({"ash": 2.0, "birch": 1.0})
    found = [chunk(name, terms, length=6) for name, terms in (("c", "birch"), ("b", "birch"), ("a", "ash"))]
    scored, top = ranking.first_round(found, [], query=asked, corpus=TEN)
    assert top == pytest.approx(2.0)
    assert [(each.candidate.id, each.score) for each in scored] == [
        ("a", 1.0),
        ("b", pytest.approx(0.5)),
        ("c", pytest.approx(0.5)),
    ]


def test_round_one_keeps_the_best_of_the_index_and_every_chunk_about_a_name() -> None:
    asked = query({"ash": 1.0}, Name(1, frozenset(), 0.001, frozenset({"zz"})))
    found = [chunk(f"f{n:03}", "ash", length=n) for n in range(1, ranking.CANDIDATES + 11)]
    about = [chunk("zz", "elm", about=(1,)), found[0], found[-1]]
    scored, _ = ranking.first_round(found, about, query=asked, corpus=TEN)
    ids = [each.candidate.id for each in scored]
    assert len(ids) == len(set(ids)) == ranking.CANDIDATES + 2
    assert ids[-1] == "zz"
    assert found[-1].id in ids, "about a name, though the index's others are better"
    assert found[-2].id not in ids


def test_round_one_of_nothing_is_nothing() -> None:
    assert ranking.first_round([], [], query=query({}), corpus=TEN) == ([], 1.0)


def test_round_one_without_any_evidence_scores_zero() -> None:
    scored, top = ranking.first_round([chunk("a", "elm")], [], query=query({"ash": 1.0}), corpus=TEN)
    assert (scored[0].score, top) == (0.0, 1.0)


# What is still open, and round 2.


def test_the_residual_is_the_share_of_the_open_words_that_the_target_covers() -> None:
    words = {"ash": 1.0, "birch": 2.0, "cedar": 5.0}
    # cedar is settled; of birch (2) and ash (1) the target holds half of birch and more than all of ash
    covered = ranking.residual({"cedar": 0.2}, {"birch": 0.5, "ash": 1.7, "cedar": 1.0}, words)
    assert covered == pytest.approx((2 * 0.5 + 1 * 1.0) / 3)


def test_the_residual_is_zero_where_nothing_is_open_or_nothing_is_covered() -> None:
    assert ranking.residual({"ash": 0.1}, {"ash": 1.0}, {"ash": 1.0}) == 0.0
    assert ranking.residual({}, {}, {"ash": 1.0}) == 0.0
    assert ranking.residual({}, {"ash": 1.0}, {}) == 0.0


def _two_sources() -> tuple[list[Scored], Query]:
    asked = query({"ash": 2.0, "birch": 1.0})
    sources = [chunk("a", "ash", length=6, about=(1,)), chunk("b", "birch", length=6)]
    scored, top = ranking.first_round(sources, [], query=asked, corpus=TEN)
    assert top == pytest.approx(2.0)
    return scored, asked


def _bridged(best: float) -> float:
    return ranking.BRIDGE * best


def test_round_two_adds_the_best_link_and_says_where_it_came_from() -> None:
    scored, asked = _two_sources()
    fresh = chunk("d", "birch", length=6)
    links = {"d": [Link(1, 1.0, 9), Link(0, 0.5, 8)]}
    ranked = ranking.second_round(scored, [fresh], links=links, top=2.0, query=asked, corpus=TEN)
    mine = next(each for each in ranked if each.candidate.id == "d")
    # from a (score 1): link 0.5, all of what a lacks (birch) is covered; from b (score ½): link 1, and d has
    # nothing of what b lacks (ash).
    constant = 1 - ranking.RESIDUAL
    from_a, from_b = 1.0 * 0.5 * (constant + ranking.RESIDUAL), 0.5 * 1.0 * constant
    assert from_a > from_b
    assert mine.score == pytest.approx(1.0 / 2.0 + _bridged(from_a))
    assert (mine.source, mine.link) == (scored[0].candidate, Link(0, 0.5, 8))


def test_round_two_takes_the_largest_link_and_never_the_sum() -> None:
    scored, asked = _two_sources()
    fresh = chunk("d", "elm")
    one = {"d": [Link(0, 0.5, 8)]}
    many = {"d": [Link(0, 0.5, 8), Link(0, 0.4, 7), Link(1, 0.3, 6)]}
    scores = [
        ranking.second_round(scored, [fresh], links=links, top=2.0, query=asked, corpus=TEN)[-1].score
        for links in (one, many)
    ]
    assert scores[0] == scores[1] == pytest.approx(_bridged(0.5 * (1 - ranking.RESIDUAL)))


def test_round_two_lifts_chunks_that_round_one_knew_too() -> None:
    scored, asked = _two_sources()
    links = {"b": [Link(0, 1.0, 8)]}
    ranked = ranking.second_round(scored, [], links=links, top=2.0, query=asked, corpus=TEN)
    assert [each.candidate.id for each in ranked] == ["b", "a"]
    assert ranked[0].score == pytest.approx(0.5 + _bridged(1.0))
    assert (ranked[1].source, ranked[1].link) == (None, None)


def test_of_equal_links_the_first_source_and_the_smaller_tag_are_named() -> None:
    asked = query({"ash": 1.0})
    twins = [chunk(name, "ash", length=6) for name in "ab"]
    scored, _ = ranking.first_round(twins, [], query=asked, corpus=TEN)
    links = [Link(1, 0.5, 3), Link(0, 0.5, 5), Link(0, 0.5, 4)]
    for order in (links, links[::-1]):
        ranked = ranking.second_round(
            scored, [chunk("d", "elm")], links={"d": order}, top=1.0, query=asked, corpus=TEN
        )
        assert ranked[-1].link == Link(0, 0.5, 4)


def test_of_equal_scores_the_smaller_id_comes_first_whenever_it_was_met() -> None:
    scored, asked = _two_sources()
    fresh = [chunk(name, "elm") for name in "ecd"]
    ranked = ranking.second_round(scored, fresh, links={}, top=2.0, query=asked, corpus=TEN)
    assert [each.candidate.id for each in ranked] == ["a", "b", "c", "d", "e"]


def test_a_link_that_is_worth_nothing_leads_nowhere() -> None:
    scored, asked = _two_sources()
    ranked = ranking.second_round(
        scored, [chunk("d", "elm")], links={"d": [Link(0, 0.0, 8)]}, top=2.0, query=asked, corpus=TEN
    )
    assert (ranked[-1].score, ranked[-1].link, ranked[-1].source) == (0.0, None, None)


def test_a_link_from_a_chunk_without_a_name_of_the_question_is_worth_less() -> None:
    strong, weak = (Name(number, frozenset(), 1.0, frozenset(), number == 8) for number in (7, 8))
    asked, link = query({}, strong, weak), Link(2, 0.6, 4)
    assert ranking.anchored(link, [3, 7], asked) == link
    for held in ([8], [3], []):
        assert ranking.anchored(link, held, asked) == Link(2, 0.6 * ranking.UNANCHORED, 4)
    assert ranking.anchored(link, [7], query({})) == Link(2, 0.6 * ranking.UNANCHORED, 4)


# What holds whatever the numbers are.

texts = st.lists(st.sampled_from([*WORDS, SEPARATOR, "other"]), max_size=12)
chunks = st.lists(texts, min_size=1, max_size=12).map(
    lambda many: [chunk(f"c{number:02}", " ".join(each)) for number, each in enumerate(many)]
)
weights = st.dictionaries(st.sampled_from(WORDS), st.floats(0.01, 10), min_size=1)
neighbours = st.dictionaries(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), st.floats(0.01, 10), max_size=4
)
queries = st.builds(lambda words, pairs: query(words, neighbours=pairs), weights, neighbours)


def links_of(found: Iterable[Candidate], draw: random.Random, scored: int) -> dict[str, list[Link]]:
    sources = min(scored, ranking.SOURCES)
    return {
        each.id: [
            Link(draw.randrange(sources), draw.random() * 1.5, draw.randrange(5))
            for _ in range(draw.randrange(4))
        ]
        for each in found
    }


def both_rounds(found: list[Candidate], asked: Query, seed: int) -> list[tuple[str, float]]:
    half = max(1, len(found) // 2)
    scored, top = ranking.first_round(found[:half], [], query=asked, corpus=TEN)
    links = links_of(found, random.Random(seed), len(scored))
    ranked = ranking.second_round(scored, found[half:], links=links, top=top, query=asked, corpus=TEN)
    return [(each.candidate.id, each.score) for each in ranked]


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries, st.integers(0, 99))
def test_the_order_is_total_and_the_same_every_time(found: list[Candidate], asked: Query, seed: int) -> None:
    ranked = both_rounds(found, asked, seed)
    assert ranked == both_rounds(found, asked, seed)
    assert ranked == sorted(ranked, key=lambda each: (-each[1], each[0]))
    assert sorted(name for name, _ in ranked) == sorted(each.id for each in found)


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_candidates(
    found: list[Candidate], asked: Query, shuffle: random.Random
) -> None:
    other = found.copy()
    shuffle.shuffle(other)
    assert ranking.first_round(found, [], query=asked, corpus=TEN) == ranking.first_round(
        other, [], query=asked, corpus=TEN
    )


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries)
def test_scores_of_round_one_lie_between_zero_and_one(found: list[Candidate], asked: Query) -> None:
    scored, top = ranking.first_round(found, [], query=asked, corpus=TEN)
    assert top > 0
    assert all(0 <= each.score <= 1 for each in scored)


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries, st.integers(0, 99))
def test_a_chunk_that_has_nothing_to_do_with_the_question_changes_no_other(
    found: list[Candidate], asked: Query, seed: int
) -> None:
    scored, top = ranking.first_round(found, [], query=asked, corpus=TEN)
    more, same = ranking.first_round([*found, chunk("zz", "other")], [], query=asked, corpus=TEN)
    assert (more[:-1], same) == (scored, top)
    links = links_of(found, random.Random(seed), len(scored))
    before = ranking.second_round(scored, [], links=links, top=top, query=asked, corpus=TEN)
    after = ranking.second_round(
        scored, [chunk("zz", "other")], links=links, top=top, query=asked, corpus=TEN
    )
    assert [each for each in after if each.candidate.id != "zz"] == before


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries, st.integers(0, 99), st.floats(0, 1.5))
def test_a_further_link_never_lowers_a_score(
    found: list[Candidate], asked: Query, seed: int, worth: float
) -> None:
    scored, top = ranking.first_round(found, [], query=asked, corpus=TEN)
    links = links_of(found, random.Random(seed), len(scored))
    more = {name: [*many, Link(0, worth, 9)] for name, many in links.items()}
    before, after = (
        {
            each.candidate.id: each.score
            for each in ranking.second_round(scored, [], links=each, top=top, query=asked, corpus=TEN)
        }
        for each in (links, more)
    )
    assert all(after[name] >= score for name, score in before.items())
    assert all(before[each.candidate.id] >= each.score for each in scored)


@settings(deadline=None)  # a busy machine is no failure
@given(texts, queries, st.sampled_from(WORDS), st.floats(0.1, 10))
def test_a_word_that_is_worth_more_never_lowers_a_score(
    terms: list[str], asked: Query, word: str, more: float
) -> None:
    one = chunk("a", " ".join(terms))
    raised = replace(asked, words={**asked.words, word: asked.words.get(word, 0.0) + more})
    before, after = (ranking.evidence(one, each, TEN)[0] for each in (asked, raised))
    assert after >= before or isclose(after, before)
    assert (after > before) is (word in terms)


@settings(deadline=None)  # a busy machine is no failure
@given(texts, texts, weights)
def test_the_residual_is_a_share(source: list[str], target: list[str], words: dict[str, float]) -> None:
    held, other = (ranking.importance(chunk("a", " ".join(terms)), words, TEN) for terms in (source, target))
    assert 0 <= ranking.residual(held, other, words) <= 1 + 1e-12
    assert ranking.residual(held, {**held}, words) == 0


@settings(deadline=None)  # a busy machine is no failure
@given(chunks, queries)
def test_more_of_the_open_question_is_never_worth_less(found: list[Candidate], asked: Query) -> None:
    scored, top = ranking.first_round(found[:1], [], query=asked, corpus=TEN)
    poor = chunk("d", "other", length=6)
    rich = chunk("e", " ".join([*asked.words, "other"]), length=6)
    links = {name: [Link(0, 1.0, 1)] for name in "de"}
    ranked = ranking.second_round(scored, [poor, rich], links=links, top=top, query=asked, corpus=TEN)
    scores = {each.candidate.id: each.score for each in ranked}
    assert scores["e"] >= scores["d"]
