from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.evaluate.metrics import (
    DEPTHS,
    Ranked,
    all_recall_at,
    exact_match,
    is_abstention,
    is_right,
    normalise_answer,
    recall_at,
    rouge_l,
    score_retrieval,
    stands_in,
    token_f1,
)


def test_recall_is_the_share_of_the_gold_among_the_first_k() -> None:
    ranked = ["a", "x", "b", "y", "z", "c"]
    assert recall_at(ranked, {"a", "b", "c"}, k=2) == pytest.approx(1 / 3)
    assert recall_at(ranked, {"a", "b", "c"}, k=5) == pytest.approx(2 / 3)
    assert recall_at(ranked, {"a", "b", "c"}, k=20) == 1
    assert recall_at([], {"a"}, k=5) == 0


def test_all_recall_wants_every_gold_passage() -> None:
    assert all_recall_at(["a", "x", "b"], {"a", "b"}, k=5) == 1
    assert all_recall_at(["a", "x", "b"], {"a", "b"}, k=2) == 0


def test_a_question_that_found_nothing_counts_as_zero_and_is_counted() -> None:
    scores = score_retrieval(
        [
            ({"a"}, Ranked(("a", "b"), 300, 4.0)),
            ({"a", "b"}, Ranked(("x", "a", "y", "z", "u", "b"), 600, 8.0)),
            ({"a"}, Ranked((), 0, 3.0)),
        ]
    )
    assert scores.recall == pytest.approx({2: 1.5 / 3, 5: 1.5 / 3, 10: 2 / 3, 20: 2 / 3})
    assert scores.all_recall == pytest.approx(1 / 3)
    assert (scores.questions, scores.nothing, scores.tokens, scores.milliseconds) == (3, 1, 300, 4)


ids = st.lists(st.integers(0, 30).map(str), max_size=25, unique=True)


@given(ids, st.sets(st.integers(0, 30).map(str), min_size=1))
def test_recall_never_falls_with_depth_and_bounds_all_recall(ranked: list[str], gold: set[str]) -> None:
    shares = [recall_at(ranked, gold, k=k) for k in DEPTHS]
    assert shares == sorted(shares)
    assert all_recall_at(ranked, gold, k=5) <= recall_at(ranked, gold, k=5) <= 1


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Beatles", "beatles"),
        ("  An   apple, a day!", "apple day"),
        ("theatre", "theatre"),
        ("U.S.", "us"),
        ("«Été»", "«été»"),
        ("the-an", "thean"),
        ("A", ""),
    ],
)
def test_answers_are_compared_as_squad_does(text: str, normal: str) -> None:
    assert normalise_answer(text) == normal


def test_exact_match_takes_any_of_the_answers() -> None:
    assert exact_match("the Beatles!", ["Rolling Stones", "Beatles"]) == 1
    assert exact_match("Beatles band", ["Beatles"]) == 0
    assert exact_match("Beatles", []) == 0


def test_f1_is_over_the_bag_of_tokens_and_takes_the_best_answer() -> None:
    # shared: new, york (2); ours 3, theirs 2: P 2/3, R 1, F1 0.8
    assert token_f1("New York City", ["London", "New York"]) == pytest.approx(0.8)
    # a repeated token counts once against one: shared 1, ours 2, theirs 2
    assert token_f1("no no", ["no way"]) == pytest.approx(0.5)
    assert token_f1("x", ["y"]) == 0
    assert token_f1("the", ["a"]) == 1
    assert token_f1("x", [""]) == 0


@given(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3))
def test_f1_is_a_share_and_one_for_an_exact_match(answer: str, answers: list[str]) -> None:
    score = token_f1(answer, answers)
    assert exact_match(answer, answers) <= score + 1e-9
    assert 0 <= score <= 1 + 1e-9


def test_rouge_l_is_the_f_measure_of_the_longest_common_subsequence() -> None:
    # the examples of Lin 2004, section 3.1: "police", "the", "gunman" are 3 of 4 words on either side
    assert rouge_l("police kill the gunman", ["police killed the gunman"]) == pytest.approx(3 / 4)
    # "the gunman kill police": the longest sequence in order is "the gunman", 2 of 4
    assert rouge_l("the gunman kill police", ["police killed the gunman"]) == pytest.approx(2 / 4)
    # 2 of 3 words against 2 of 2: P 2/3, R 1, F 0.8; the best answer counts
    assert rouge_l("New York City", ["London", "New York!"]) == pytest.approx(0.8)
    assert rouge_l("a b", ["c"]) == 0
    assert rouge_l("", ["a"]) == 0
    assert rouge_l("x", []) == 0


@given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
def test_rouge_l_does_not_change_with_the_sides_and_is_one_for_the_same_words(left: str, right: str) -> None:
    assert rouge_l(left, [right]) == rouge_l(right, [left])
    assert 0 <= rouge_l(left, [right]) <= 1
    assert rouge_l(left, [left]) == 1


@pytest.mark.parametrize(
    ("text", "answers", "found"),
    [
        ("She was born in Port Ashby, in 1850.", ["the Port Ashby"], True),
        ("She was born in Airport Ashby.", ["Port Ashby"], False),
        ("He is 11.", ["1"], False),
        ("anything", ["the"], False),
        ("魯迅は小説家である", ["小説家"], True),
        ("nothing", [], False),
    ],
)
def test_an_answer_stands_in_a_text_as_whole_words(text: str, answers: list[str], found: bool) -> None:
    assert stands_in(text, answers) is found


@pytest.mark.parametrize(
    "answer",
    ["", " . ", "I don't know", "I don\u2019t know.", "Unknown", "I do not know who built it.", "N/A"],
)
def test_an_abstention_is_told_from_an_answer(answer: str) -> None:
    assert is_abstention(answer)


@pytest.mark.parametrize("answer", ["no", "The Unknown Soldier", "I know", "Null Island", "nothing"])
def test_an_answer_is_no_abstention(answer: str) -> None:
    assert not is_abstention(answer)


@pytest.mark.parametrize(
    ("answer", "answers", "right"),
    [
        ("in Port Ashby", ["Port Ashby"], True),
        ("Ashby", ["Port Ashby"], False),
        ("No, they are not", ["no"], True),
        ("They are not, no", ["no"], False),
        ("Yes", ["no"], False),
        ("Oslo or Bergen", ["Bergen"], True),
        ("", ["Bergen"], False),
    ],
)
def test_without_a_judge_a_right_answer_is_or_holds_one_of_the_answers(
    answer: str, answers: list[str], right: bool
) -> None:
    assert is_right(answer, answers) is right
