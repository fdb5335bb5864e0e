"""Lessons: what validated answers to similar questions add to the chunks that they cite."""

from __future__ import annotations

import pytest

from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.recall.cues import GENERIC, read
from bamboo_neo4j.recall.lessons import lessons

WORDS = normaliser("en")


def taught(question: str, *questions: str) -> float:
    return lessons([("c", questions)], read(question, WORDS), WORDS).get("c", 0.0)


def test_the_same_question_is_a_lesson_in_full_however_it_is_worded_around() -> None:
    assert taught("Who led the harbour school?", "Who led the harbour school?") == pytest.approx(1)
    assert taught("who LED that harbour's school", "Who led the harbour school?") == pytest.approx(1)


def test_half_the_words_in_common_is_a_quarter() -> None:
    # led, harbour, school against led, harbour, lantern: two of four
    assert taught("Led harbour school", "Led harbour lantern") == pytest.approx(0.25)


def test_a_generic_word_counts_for_less() -> None:
    # harbour and first against harbour and lantern
    assert taught("harbour first", "harbour lantern") == pytest.approx((1 / (2 + GENERIC)) ** 2)


def test_the_most_similar_of_several_questions_teaches() -> None:
    assert taught("Led harbour school", "Ada Kern", "Led harbour lantern") == pytest.approx(0.25)


def test_a_question_about_something_else_teaches_nothing() -> None:
    assert lessons([("c", ["Ada Kern"]), ("d", [])], read("harbour school", WORDS), WORDS) == {}
