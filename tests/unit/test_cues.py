"""Cues: what is read in a question, and what of it counts, and how much."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo_neo4j.normalise import MAX_TERM, normaliser
from bamboo_neo4j.recall import cues as rules
from bamboo_neo4j.recall.cues import Cues, CueTag, KnownTag
from bamboo_neo4j.recall.ranking import Corpus, Name

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping

ENGLISH = normaliser("en")
HUNDRED = Corpus(chunks=100, terms=1000)


def known(tag: str, *, id: int = 1, df: int = 3, about: Iterable[str] = (), abouts: int = 0) -> KnownTag:  # noqa: A002
    ids = frozenset(about)
    return KnownTag(id, ENGLISH.key(tag), ENGLISH.name(tag), df, abouts or len(ids), ids)


def chosen(
    question: str, *tags: KnownTag, words: Mapping[str, int] | None = None, corpus: Corpus = HUNDRED
) -> Cues:
    return rules.choose(rules.read(question, ENGLISH), ENGLISH, corpus=corpus, tags=tags, words=words or {})


def shown(cues: Iterable[CueTag]) -> list[str]:
    return [cue.text for cue in cues]


def idf(df: int, chunks: int = 100) -> float:
    return log(1 + (chunks - df + 0.5) / (df + 0.5))


L = log(101)


def only_name(cues: Cues) -> Name:
    assert len(cues.query.names) == 1
    return cues.query.names[0]


# Reading a question.


def test_terms_are_stems_in_order_without_function_words_and_keep_their_repeats() -> None:
    reading = rules.read("Who painted the paintings, and painted what in Ghent?", ENGLISH)
    assert reading.terms == ("paint", "paint", "paint", "ghent")
    assert reading.spelling == {"paint": "painted", "ghent": "Ghent"}


def test_an_endless_run_is_no_term() -> None:
    reading = rules.read(f"{'x' * (MAX_TERM + 1)} copper", ENGLISH)
    assert reading.terms == ("copper",)


def test_grams_are_one_to_six_neighbouring_words_as_they_stand_in_the_text() -> None:
    reading = rules.read("copper tin zinc lead gold iron silver", ENGLISH)
    assert {gram.words for gram in reading.grams} == set(range(1, rules.LONGEST + 1))
    assert len(reading.grams) == 7 + 6 + 5 + 4 + 3 + 2
    assert {gram.text for gram in reading.grams} >= {"copper", "tin zinc lead gold iron silver"}


def test_function_words_alone_are_no_gram_unless_they_are_written_as_a_name() -> None:
    def keys(question: str) -> set[str]:
        return set(rules.read(question, ENGLISH).keys)

    assert keys("is it up to us?") == set()
    assert keys("Is It") == {"is it"}
    assert keys("did The Who sing") >= {"the who", "sing"}
    assert not keys("did the who sing") & {"did", "the who", "who"}
    assert "us" in keys("what did the US sell")
    assert "us" not in keys("what did they sell us")


def test_one_capital_letter_makes_no_name_of_a_function_word() -> None:
    assert "i" not in rules.read("what am I doing", ENGLISH).keys
    assert "a" not in rules.read("does A equal b", ENGLISH).keys


def test_in_a_question_all_in_capitals_no_function_word_is_a_name() -> None:
    assert rules.read("IS IT UP TO US?", ENGLISH).keys == []
    assert "it" not in rules.read("WHAT IS IT MADE OF", ENGLISH).keys


def test_keys_are_given_once_in_order() -> None:
    assert rules.read("tin tin", ENGLISH).keys == ["tin", "tin tin"]


@pytest.mark.parametrize(
    ("question", "capitals"),
    [("Who built it", False), ("who built Rome", True), ("Rome", False), ("", False), ("an eBook", True)],
)
def test_a_capital_counts_after_the_first_word(question: str, capitals: bool) -> None:
    assert rules.read(question, ENGLISH).capitals is capitals


def test_a_question_of_many_words_is_cut_and_the_rest_counted() -> None:
    reading = rules.read("copper " * (rules.MOST_TOKENS + 88), ENGLISH)
    assert (len(reading.terms), reading.cut) == (rules.MOST_TOKENS, 88)
    assert rules.read("copper tin", ENGLISH).cut == 0


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    reading = rules.read(text, ENGLISH)
    assert set(reading.terms) == set(reading.spelling)
    for gram in reading.grams:
        assert gram.text in text
        assert 1 <= gram.words <= rules.LONGEST
        assert gram.key


# P30: no tag by accident.


def test_p30_a_question_of_common_words_finds_no_tag_that_only_looks_like_one() -> None:
    tags = [known(name, id=number) for number, name in enumerate(("Canada", "Willow", "Mayor", "IT", "May"))]
    for question in (
        "Can you say whether it will rain in May?",
        "can you say whether it will rain in may?",
        "WILL IT RAIN IN MAY?",
    ):
        found = chosen(question, *tags)
        assert found.tags == ()
        assert not found
        assert "rain" in {word.lower() for word in found.unknown}


def test_p30_a_tag_spelled_like_a_function_word_is_found_in_capitals_only() -> None:
    department = known("IT", about=["a"])
    assert shown(chosen("Who runs IT here?", department).tags) == ["IT"]
    for question in ("Who runs it here?", "It runs", "WHO RUNS IT?"):
        assert chosen(question, department).tags == ()


# Tags of the question.


def test_the_longest_tag_wins_and_none_inside_it_is_kept() -> None:
    tags = [known("New York", id=1), known("New York City", id=2), known("city", id=3), known("york", id=4)]
    cues = chosen("Which city is bigger than New York City?", *tags)
    assert [(cue.tag.id, cue.text) for cue in cues.tags] == [(3, "city"), (2, "New York City")]
    assert cues.grams == {1, 2, 3, 4}, "what the question names leads to nothing new"


def test_of_tags_that_overlap_both_are_kept() -> None:
    cues = chosen("green lamp oil", known("green lamp", id=1), known("lamp oil", id=2))
    assert shown(cues.tags) == ["green lamp", "lamp oil"]


def test_a_tag_named_twice_is_one_cue_at_its_first_place() -> None:
    cues = chosen("Ghent and Bruges and Ghent", known("ghent", id=1), known("bruges", id=2))
    assert shown(cues.tags) == ["Ghent", "Bruges"]


def test_a_tag_is_found_however_it_is_inflected() -> None:
    assert shown(chosen("harbours schools", known("Harbour School")).tags) == ["harbours schools"]


def test_a_name_has_two_words_or_is_what_some_chunk_is_about() -> None:
    def names(question: str, tag: KnownTag) -> int:
        return len(chosen(question, tag).query.names)

    assert names("Ada Kern", known("ada kern")) == 1
    assert names("Kern", known("kern")) == 0
    assert names("Kern", known("kern", about=["a"])) == 1
    assert names("Kern", known("kern", abouts=rules.MOST_ABOUT + 1)) == 1


def test_a_name_carries_its_chunks_its_words_and_its_id() -> None:
    tag = known("Ada Kern", id=9, about=["c1", "c2"])
    name = only_name(chosen("Who is Ada Kern?", tag, words={"ada": 4}))
    assert (name.id, name.weak) == (9, False)
    assert name.about == {"c1", "c2"}
    assert name.terms == {"ada"}


# What a name is worth.


def test_a_name_is_worth_theta_times_its_idf_where_its_words_say_enough() -> None:
    tag = known("Ada Kern", df=3)
    name = only_name(chosen("Ada Kern", tag, words={"ada": 1, "kern": 1}))
    assert idf(1) * 2 > L
    assert name.worth == pytest.approx(rules.THETA * idf(3))


def test_a_name_of_common_words_is_worth_their_share() -> None:
    tag = known("Ada Kern", df=3)
    name = only_name(chosen("Ada Kern", tag, words={"ada": 60, "kern": 70}))
    share = (idf(60) + idf(70)) / L
    assert share < 1
    assert name.worth == pytest.approx(rules.THETA * idf(3) * share)


def test_a_name_of_words_the_memory_does_not_count_is_worth_its_own_idf() -> None:
    tag = known("Ada Kern", df=3)
    assert only_name(chosen("Ada Kern", tag)).worth == pytest.approx(rules.THETA * idf(3) * idf(3) / L)


def test_a_weak_name_is_worth_a_part_of_it() -> None:
    words = {"ada": 1, "kern": 1}
    tag = known("Ada Kern", df=3, about=["a"])
    strong, weak = (
        only_name(chosen(question, tag, words=words)) for question in ("the Ada Kern", "in Rome, ada kern")
    )
    assert (strong.weak, weak.weak) == (False, True)
    assert weak.worth == pytest.approx(strong.worth * rules.WEAK)


@pytest.mark.parametrize(
    ("question", "tag", "weak"),
    [
        ("Ada Kern", "ada kern", False),
        ("ada kern", "ada kern", False),  # no capital anywhere: whoever asks writes none
        ("who saw ada kern in Rome", "ada kern", True),
        ("Who saw ada kern", "ada kern", False),  # the first word begins with one anyway
        ("in Rome Ada kern", "ada kern", False),  # not all in lower case
        ("kern", "kern", True),  # one word in lower case may be any word
        ("by Kern", "kern", False),
        ("Kern", "kern", True),  # a question begins with a capital whatever its first word is
        ("KERN", "kern", False),
        ("Kern or Kern", "kern", False),
        ("Ada kern", "ada kern", False),
        ("Ada kern in Rome", "ada kern", True),
        ("kern, or was it Kern", "kern", False),  # written as a name once
        ("ada kern, or was it Ada Kern in Rome", "ada kern", False),
    ],
)
def test_a_name_is_weak_where_the_question_does_not_write_it_as_one(
    question: str, tag: str, weak: bool
) -> None:
    cues = chosen(question, known(tag, about=["a"]))
    assert [cue.weak for cue in cues.tags] == [weak]


# Words.


def test_a_word_weighs_its_idf_times_its_count() -> None:
    cues = chosen("copper tin copper", words={"copper": 5, "tin": 2})
    assert cues.query.words == {"copper": pytest.approx(2 * idf(5)), "tin": pytest.approx(idf(2))}


def test_a_generic_word_weighs_less_and_is_no_cue_by_itself() -> None:
    assert ENGLISH.is_generic("world")
    cues = chosen("world", words={"world": 5})
    assert cues.query.words == {"world": pytest.approx(rules.GENERIC * idf(5))}
    assert cues.words == ()
    assert not cues


def test_a_generic_word_that_the_memory_has_made_a_tag_weighs_in_full() -> None:
    cues = chosen("world", known("world"), words={"world": 5})
    assert cues.query.words == {"world": pytest.approx(idf(5))}
    assert shown(cues.tags) == ["world"]


def test_neighbouring_terms_weigh_the_smaller_of_both_and_function_words_stand_aside() -> None:
    cues = chosen("copper in the tin of zinc, copper", words={"copper": 5, "tin": 9, "zinc": 2})
    assert cues.query.neighbours == {
        ("copper", "tin"): pytest.approx(idf(9)),
        ("tin", "zinc"): pytest.approx(idf(9)),
        ("zinc", "copper"): pytest.approx(idf(5)),
    }


def test_an_unknown_word_between_two_known_ones_keeps_them_apart() -> None:
    assert chosen("copper xyzzy tin", words={"copper": 5, "tin": 9}).query.neighbours == {}


def test_a_neighbouring_generic_word_counts_by_its_smaller_weight() -> None:
    cues = chosen("copper world", words={"copper": 5, "world": 5})
    assert cues.query.neighbours == {("copper", "world"): pytest.approx(rules.GENERIC * idf(5))}


def test_words_that_a_tag_covers_are_shown_as_the_tag_only() -> None:
    cues = chosen("Ada Kern, copper", known("ada kern"), words={"ada": 3, "kern": 3, "copper": 3})
    assert cues.words == ("copper",)
    assert set(cues.query.words) == {"ada", "kern", "copper"}


def test_what_the_memory_does_not_know_is_named_as_it_was_written() -> None:
    cues = chosen("Did Xyzzyva melt Ada Kern's copper Gnus?", known("ada kern"), words={"copper": 3})
    assert cues.unknown == ("Xyzzyva", "melt", "Gnus")


def test_nothing_known_is_nothing_to_recall_by() -> None:
    assert not chosen("copper")
    assert chosen("copper", words={"copper": 1})
    assert chosen("copper", known("copper"))


# Long questions.


def test_the_rarest_words_are_kept_and_the_others_named_as_cut() -> None:
    words = {f"w{number}q": number + 1 for number in range(rules.MOST_WORDS + 5)}
    cues = chosen(" ".join(f"W{number}q" for number in reversed(range(len(words)))), words=words)
    assert len(cues.query.words) == rules.MOST_WORDS
    assert set(cues.query.words) == {f"w{number}q" for number in range(rules.MOST_WORDS)}
    assert cues.cut == tuple(f"W{number}q" for number in range(rules.MOST_WORDS, rules.MOST_WORDS + 5))


def test_of_equally_rare_words_the_first_by_spelling_are_kept() -> None:
    names = [f"w{number:03}q" for number in range(rules.MOST_WORDS + 2)]
    cues = chosen(" ".join(reversed(names)), words=dict.fromkeys(names, 4))
    assert list(cues.cut) == names[-2:]


def test_the_rarest_tags_are_kept_in_their_order_and_the_others_named_as_cut() -> None:
    names = [f"w{number}q" for number in range(rules.MOST_WORDS + 3)]
    tags = [known(name, id=number, df=number + 1) for number, name in enumerate(names)]
    cues = chosen(" ".join(reversed(names)), *tags)
    assert [cue.tag.id for cue in cues.tags] == list(reversed(range(rules.MOST_WORDS)))
    assert cues.cut == tuple(names[rules.MOST_WORDS :])
    assert len(cues.grams) == len(tags)


# Whatever is asked.

vocabulary = ["ash", "Birch", "cedar", "Elm", "of", "the", "fir"]
questions = st.lists(st.sampled_from(vocabulary), max_size=12).map(" ".join)


def distinct(names: Iterable[str]) -> list[KnownTag]:
    keys = {ENGLISH.key(name): name for name in names}
    return [
        known(name, id=number, df=number + 1, about=["a"] if number % 2 else [])
        for number, name in enumerate(name for key, name in keys.items() if key)
    ]


tag_names = st.lists(st.sampled_from(vocabulary), min_size=1, max_size=3).map(" ".join)
tag_lists = st.lists(tag_names, max_size=8).map(distinct)
counts = st.dictionaries(st.sampled_from(["ash", "birch", "cedar", "elm", "fir"]), st.integers(1, 100))


@settings(deadline=None)  # a busy machine is no failure
@given(questions, tag_lists)
def test_no_kept_tag_lies_inside_another_and_all_stand_in_the_question(
    question: str, tags: list[KnownTag]
) -> None:
    reading = rules.read(question, ENGLISH)
    cues = chosen(question, *tags)
    places: dict[str, list[tuple[int, int]]] = {}
    for gram in reading.grams:
        places.setdefault(gram.key, []).append((gram.start, gram.end))
    for cue in cues.tags:
        others = [place for other in cues.tags if other != cue for place in places[other.tag.key]]
        free = [
            (start, end)
            for start, end in places[cue.tag.key]
            if not any(first <= start and end <= last for first, last in others)
        ]
        assert free
    assert {cue.tag.id for cue in cues.tags} <= cues.grams


@settings(deadline=None)  # a busy machine is no failure
@given(questions, tag_lists, counts, st.randoms(use_true_random=False))
def test_cues_do_not_depend_on_the_order_in_which_the_memory_answers(
    question: str, tags: list[KnownTag], words: dict[str, int], shuffle: random.Random
) -> None:
    other = tags.copy()
    shuffle.shuffle(other)
    again = dict(sorted(words.items(), key=lambda _: shuffle.random()))
    assert chosen(question, *tags, words=words) == chosen(question, *other, words=again)


@settings(deadline=None)  # a busy machine is no failure
@given(questions, tag_lists, counts)
def test_only_words_of_the_question_weigh_and_every_weight_is_above_zero(
    question: str, tags: list[KnownTag], words: dict[str, int]
) -> None:
    spelling = rules.read(question, ENGLISH).spelling
    asked = {word: df for word, df in words.items() if word in spelling}
    cues = chosen(question, *tags, words=asked)
    assert set(cues.query.words) == set(asked)
    assert not set(cues.unknown) & {spelling[word] for word in asked}
    assert all(weight > 0 for weight in cues.query.words.values())
    assert all(weight > 0 for weight in cues.query.neighbours.values())
    assert all(name.worth > 0 for name in cues.query.names)
