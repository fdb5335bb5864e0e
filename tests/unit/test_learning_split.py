"""Halves of questions for measuring what is learned."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.evaluate.datasets import Question
from bamboo_neo4j.evaluate.learning import Group, Trial, pooled, split

QUESTIONS = [Question(f"q{number}", "Why?", frozenset({"p"})) for number in range(9)]


@given(seed=st.integers(0, 99), tags=st.lists(st.sampled_from("abcdef"), min_size=9, max_size=9))
def test_each_question_is_in_one_group_and_related_means_a_common_tag(seed: int, tags: list[str]) -> None:
    held = {question.id: frozenset({tag}) for question, tag in zip(QUESTIONS, tags, strict=True)}
    groups = split(QUESTIONS, held, seed=seed)
    assert sorted(each.id for group in groups.values() for each in group) == [each.id for each in QUESTIONS]
    assert len(groups["repeated"]) == 4
    known = {tag for each in groups["repeated"] for tag in held[each.id]}
    assert all(held[each.id] & known for each in groups["related"])
    assert not any(held[each.id] & known for each in groups["unrelated"])


def test_groups_are_pooled_by_question() -> None:
    groups = {
        "repeated": Group(3, 0.5, 1.0),
        "related": Group(1, 0.5, 0.5),
        "unrelated": Group(0, 0.0, 0.0),
    }
    learned = Trial(0, 3, groups).learned  # type: ignore[arg-type]
    assert learned == Group(4, 0.5, 0.875)
    assert learned.gain == 0.375
    assert pooled([]) == Group(0, 0.0, 0.0)
