"""The rule tagger: which tags a chunk gets, and which it never gets."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.memorise.rules import make_tag, primary_tags, tag_chunk, tag_limit
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Kind, Tag

ENGLISH = normaliser("en")


def tags_of(text: str, *, title: str = "", language: str = "en", limit: int | None = 24) -> dict[str, Tag]:
    """Return the tags of a chunk by what they look like."""
    tags = tag_chunk(text, title=title, normaliser=normaliser(language), tokens=200, limit=limit)
    return {tag.display: tag for tag in tags}


@pytest.mark.parametrize(
    ("tokens", "limit"), [(0, 12), (1, 12), (200, 12), (700, 18), (1_200, 24), (1_000_000, 24)]
)
def test_the_number_of_tags_grows_with_the_chunk(tokens: int, limit: int) -> None:
    assert tag_limit(tokens) == limit


# Rule 1: sentences and words.


def test_initials_and_abbreviations_end_no_sentence() -> None:
    tags = tags_of("The Nobel Prize went to K. S. Krishnan and to Dr. Anna Weil in St. Gallen.")
    assert {"K. S. Krishnan", "Anna Weil", "St. Gallen"} <= set(tags)


def test_a_name_never_reaches_over_the_end_of_a_sentence_or_a_comma() -> None:
    tags = tags_of("She left Port Ellery. Boris Quint, Carla Osei and Dmitri Vance stayed.")
    assert {"Port Ellery", "Boris Quint", "Carla Osei", "Dmitri Vance"} <= set(tags)
    assert not any("." in tag or "," in tag for tag in tags)


def test_a_wrapped_line_does_not_cut_a_name() -> None:
    text = "the committee that met in the old town hall to decide on the new Tower\nBridge sent a letter."
    assert "Tower Bridge" in tags_of(text)


# Rule 2: dates.


def test_a_full_date_and_its_year_are_tags_but_no_month_is() -> None:
    tags = tags_of("It opened on 4 December 1905, closed in May 1911 and burned down that June, in 1920.")
    dates = {tag.display for tag in tags.values() if tag.kind == "date"}
    assert dates == {"4 December 1905", "1905", "May 1911", "1911", "1920"}
    assert not {"May", "June", "December"} & set(tags)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Geboren am 3. März 1910.", "3. März 1910"),
        ("Né le 12 août 1987 à Lyon.", "12 août 1987"),
        ("Nació el 1 de mayo de 1950.", "1 de mayo de 1950"),
        ("Родился 9 сентября 1828 года.", "9 сентября 1828"),
        ("Released on 2021-03-04.", "2021-03-04"),
        ("Time: 20260105_11:00", "20260105"),
    ],
)
def test_dates_of_many_countries_are_found(text: str, date: str) -> None:
    assert tags_of(text)[date].kind == "date"


def test_a_time_of_day_is_no_tag() -> None:
    assert not {"PM", "5:30 PM", "5", "30"} & set(tags_of("We meet at 5:30 PM at the Harbour Cafe."))


# Rule 3: names.


def test_link_words_join_names_and_their_parts_count_too() -> None:
    tags = tags_of("He read the Journal of Mathematical Physics and met Ludwig van Beethoven.")
    assert {"Journal of Mathematical Physics", "Mathematical Physics", "Ludwig van Beethoven"} <= set(tags)


def test_a_possessive_also_gives_its_owner() -> None:
    tags = tags_of("The film is based on Giacomo Puccini's Opera House sketches.")
    assert "Giacomo Puccini" in tags
    assert "Giacomo Puccini" in tags_of("We heard Giacomo Puccini's 1896 opera.")


def test_the_head_of_a_sentence_is_no_name() -> None:
    text = "However Ada Marten left. When Boris Quint came, Thanks were due. Running was hard, running hurt."
    tags = tags_of(text)
    assert {"Ada Marten", "Boris Quint"} <= set(tags)
    assert not {"However", "When", "Running", "However Ada Marten"} & {
        tag.display for tag in tags.values() if tag.kind == "entity"
    }


def test_a_verb_before_a_known_name_is_not_part_of_it() -> None:
    tags = tags_of("Restart the Proxmox Firewall daily.\nManage Proxmox Firewall rules.")
    assert "Proxmox Firewall" in tags
    assert "Manage Proxmox Firewall" not in tags


def test_ordinals_years_and_numbers_belong_to_names() -> None:
    tags = tags_of("She won at the 92nd Academy Awards and the 1936 Summer Olympics, then flew Apollo 11.")
    assert {"92nd Academy Awards", "1936 Summer Olympics", "Apollo 11"} <= set(tags)


def test_a_name_of_three_words_also_gives_first_and_last() -> None:
    tags = tags_of("The painter was Jesse Edward Hobson, who was born in Indiana.")
    assert {"Jesse Edward Hobson", "Jesse Hobson"} <= set(tags)


def test_only_persons_have_a_short_form() -> None:
    tags = tags_of(
        "He left the Jonathan Alder School. The Legends Football League is the oldest school league."
    )
    assert not {"Jonathan School", "Legends League"} & set(tags)
    assert "Table Contents" not in tags_of("Table Of Contents")


def test_a_role_is_taken_off_a_name() -> None:
    assert "Nelson Mandela" in tags_of("It was promulgated by President Nelson Mandela that year.")


def test_acronyms_spelled_like_function_words_are_tags_only_in_capitals() -> None:
    tags = tags_of("In the US the experts of the WHO met. They told us who it was, NOT where.")
    assert {"US", "WHO"} <= set(tags)
    assert tags["US"].key == "us"
    assert not {"us", "who", "it", "NOT", "It", "They"} & set(tags)


def test_speakers_of_a_chat_are_names_and_labels_are_not() -> None:
    text = "Time: 20260105_11:00\nLiHua: Hey Adam! Can't wait.\nAdam: Hi! Sounds great.\nLiHua: I'll come."
    tags = tags_of(text)
    assert {"LiHua", "Adam"} <= set(tags)
    assert not {"Time", "Hey", "Hi", "Hey Adam", "Can't", "I'll", "Sounds"} & set(tags)


def test_a_quoted_title_is_a_name_and_speech_is_not() -> None:
    tags = tags_of('They saw "Star Wars: A New Hope". He said: "It was a long and boring evening".')
    assert tags["Star Wars: A New Hope"].kind == "entity"
    assert not any("boring evening" in tag and "It" in tag for tag in tags)


def test_text_in_capitals_is_not_a_name() -> None:
    assert not any(tag.kind == "entity" for tag in tags_of("PLEASE READ THE WHOLE MANUAL FIRST.").values())


# Rule 4: phrases.


def test_phrases_end_at_stop_words() -> None:
    tags = tags_of("the suspension railway tunnel was built by a construction company", limit=20)
    assert {"suspension railway tunnel", "construction company"} <= set(tags)
    assert not any(f" {word} " in f" {tag} " for tag in tags for word in ("the", "was", "by", "a"))


def test_a_contraction_is_no_phrase() -> None:
    assert not any("’" in tag or "'" in tag for tag in tags_of("we’re sure that they can't and i've said it"))


# Rule 5: score and order.


def test_repetition_and_place_decide_between_equals() -> None:
    tags = tag_chunk(
        "She met Boris Quint, then Carla Osei and again Carla Osei.",
        title="A day",
        normaliser=ENGLISH,
        tokens=20,
        limit=3,
    )
    order = [tag.display for tag in tags if not tag.about]
    assert order.index("Carla Osei") < order.index("Boris Quint")


def test_a_part_of_a_better_name_is_left_out_unless_it_is_more_frequent() -> None:
    assert "Porcaro" not in tags_of("He heard Jeff Porcaro play.")
    assert "Porcaro" in tags_of("He heard Jeff Porcaro play. Later Porcaro left, and Porcaro came back.")


def test_salience_is_one_for_the_strongest_and_falls() -> None:
    tags = tag_chunk(
        "In Port Ellery lives Ada Marten, an old friend.", title="", normaliser=ENGLISH, tokens=10
    )
    saliences = [tag.salience for tag in tags]
    assert saliences[0] == 1.0
    assert all(0 < salience <= 1 for salience in saliences)
    rest = [tag.salience for tag in tags if not tag.about]
    assert rest == sorted(rest, reverse=True)


# Primary tags.


def abouts(text: str, title: str = "", language: str = "en") -> list[str]:
    """Return what a chunk is about."""
    return [tag.display for tag in primary_tags(text, title=title, normaliser=normaliser(language))]


def test_a_chunk_is_about_its_title_with_and_without_the_bracket() -> None:
    assert abouts("Anything.", "Lex Luthor (Smallville)") == ["Lex Luthor (Smallville)", "Lex Luthor"]
    assert abouts("Anything.", "Ada Marten") == ["Ada Marten"]


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("Hanro Smitsman, born in 1967, is a writer.", ["Hanro Smitsman"]),
        ("The Charm of La Bohème (German: Zauber) is a film.", ["The Charm of La Bohème"]),
        ("In the Mood is a song.", ["In the Mood"]),
        ("In 1936, the harbour of Port Ellery was built.", ["Port Ellery"]),
        ("Julia was the elder of two daughters.", ["Julia"]),
        ("Time: in the evening Boris Quint came home.", ["Boris Quint"]),
        ("It is known that in the harbour of Port Ellery ships wait.", ["Port Ellery"]),
        ("PLEASE READ THE WHOLE MANUAL FIRST.", []),
        ("in the harbour of Port Ellery ships wait", ["Port Ellery"]),
        ("nothing in here begins with a capital.", []),
        ("Angela Merkel war Bundeskanzlerin und die Vorsitzende der Partei.", ["Angela Merkel"]),
        ("夏目漱石は、日本の小説家である。", ["夏目漱石"]),
        ("鲁迅是中国作家。", ["鲁迅"]),
    ],
)
def test_a_chunk_without_a_title_is_about_its_lead(text: str, lead: list[str]) -> None:
    assert abouts(text) == lead


def test_the_lead_counts_where_the_title_can_be_no_tag() -> None:
    assert abouts("Ada Marten is an engineer.", "!") == ["Ada Marten"]
    assert abouts("Ada Marten is an engineer.", "x" * 500) == ["Ada Marten"]


def test_what_markdown_hangs_on_a_heading_is_no_part_of_it() -> None:
    assert abouts("# Advanced Middleware { #advanced-middleware }\n\nText.") == ["Advanced Middleware"]
    assert abouts("Text.", "Cookie 参数 { #cookie }") == ["Cookie 参数"]


def test_primary_tags_are_always_among_the_tags() -> None:
    tags = tag_chunk("Boris Quint met Carla Osei.", title="Ada (ship)", normaliser=ENGLISH, tokens=9, limit=1)
    assert [tag.display for tag in tags] == ["Ada (ship)", "Ada"]
    assert all(tag.about for tag in tags)


# What never becomes a tag.


def test_p06_a_long_run_never_becomes_a_tag() -> None:
    noise = base64.b64encode(random.Random(1).randbytes(3_000)).decode()
    lines = "\n".join(noise[i : i + 64] for i in range(0, len(noise), 64))
    for run in ("q" * 20_000, noise, lines, "0123456789abcdef" * 4, "https://example.org/" + "a/" * 90):
        tags = tags_of(f"Top {run} end. Port Ellery")
        assert max(map(len, tags)) <= 40
        assert "Port Ellery" in tags
        assert not any(tag in run for tag in tags if len(tag) > 8)


def test_markup_never_becomes_a_tag() -> None:
    text = (
        "## Using *Bold Words* { #using }\n\n"
        '- See [Port Ellery](https://example.org/Hidden_Target) and ![Old Map](img/Other_Hidden.png "T").\n'
        '<div class="Secret"><b>Carla Osei</b>&nbsp;wrote</div>\n\n'
        "```python\nclass HiddenClass:\n    pass\n```\n"
        "| Boris Quint | Dmitri Vance |\n|---|---|\n\n"
        "Run `Quick Start` with --hidden-option /usr/Hidden/Path {{Hidden_Placeholder}} now.\n"
        "Mail Hidden.Person@example.org or www.Hidden.org\n"
    )
    tags = tags_of(text, limit=60)
    assert {"Port Ellery", "Old Map", "Carla Osei", "Boris Quint", "Dmitri Vance"} <= set(tags)
    assert not any(mark in tag for tag in tags for mark in "`*<>[]{}|#/_=")
    assert not any("hidden" in tag.lower() or "secret" in tag.lower() for tag in tags)


def test_p03_text_without_spaces_gives_short_tags() -> None:
    text = "鲁迅在《新青年》上发表了《狂人日记》，这是中国第一部现代白话小说。" * 40
    tags = tags_of(text)
    assert {"新青年", "狂人日记"} <= set(tags)
    assert len(tags) >= 4
    assert max(map(len, tags)) <= 16
    japanese = tags_of("代表作は『坊っちゃん』などがある。東京帝国大学で英文学を学び、ロンドンへ留学した。")
    assert {"坊っちゃん", "東京帝国大学", "ロンドン", "英文学"} <= set(japanese)


def test_p30_a_tag_is_a_whole_word_never_a_part_of_one() -> None:
    keys = {tag.key for tag in tags_of("The mayor of Canada met Willow in May about IT.").values()}
    assert {"canada", "willow", "it"} <= keys
    assert not {"can", "will", "may"} & keys


def test_chinese_words_are_tags_where_a_segmenter_finds_them() -> None:
    pytest.importorskip("jieba", reason="the extra zh is not installed")
    tags = tags_of("鲁迅原名周树人，出生于浙江绍兴。", language="zh")
    assert {"周树人", "浙江", "绍兴"} <= set(tags)


# Languages.


@pytest.mark.parametrize("language", ["en", "de"])
def test_german_common_nouns_are_no_entities(language: str) -> None:
    text = (
        "Die Brücke verbindet Templin mit Leipzig. Der neue Direktor sprach über die Regierung, und "
        "Helmut Quint baute im Garten eine Werkstatt für die Forschung."
    )
    tags = tags_of(text, language=language)
    entities = {tag.display for tag in tags.values() if tag.kind == "entity"}
    assert {"Templin", "Leipzig", "Helmut Quint"} <= entities
    assert not {"Direktor", "Regierung", "Garten", "Werkstatt", "Forschung"} & entities


def test_stop_words_are_those_of_the_text_not_of_the_memory() -> None:
    tags = tags_of(
        "La ville est connue pour ses anciennes maisons et pour le pont de pierre qui est dans le port."
    )
    assert "anciennes maisons" in tags
    assert not any(word in tag.split() for tag in tags for word in ("est", "pour", "dans", "qui", "et"))


def test_french_articles_without_their_vowel_are_no_part_of_a_name() -> None:
    assert "Internet" in tags_of("Il parle de l’Internet et de l'Europe dans le journal de la ville.")


@pytest.mark.parametrize(
    "text",
    [
        "مدرسة كبيرة في مدينة القاهرة القديمة",
        "हिन्दी भाषा भारत की एक प्रमुख भाषा है",
        "쿠키 매개변수를 같은 방식으로 정의할 수 있습니다",
        "ประเทศไทยมีกรุงเทพเป็นเมืองหลวง ภาษาไทย",
        "ירושלים היא עיר הבירה של מדינת ישראל",
        "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας",
        "Лев Николаевич Толстой родился в Ясной Поляне",
    ],
)
@pytest.mark.parametrize("language", ["en", "ar", "hi", "ko", "th", "ru", "is"])
def test_every_script_gives_tags_that_stand_in_the_text(text: str, language: str) -> None:
    tags = tags_of(text, language=language)
    assert tags
    assert all(word in text for tag in tags for word in tag.split())


# Single tags.


def test_p24_odd_spellings_make_plain_tags_recalled_by_their_own_spelling() -> None:
    spellings = [
        "a`b",
        "O'Brien",
        '"q"',
        "{x:1}",
        "$p",
        "x]-() DETACH DELETE n //",
        "C++",
        "half-open",
        "A...B",
    ]
    spellings += ["back\\slash", "two\nlines"]
    made = [make_tag(each, kind="phrase", salience=1.0, normaliser=ENGLISH) for each in spellings]
    keys = {tag.key for tag in made if tag}
    assert len(keys) == len(spellings) - 1  # "a`b" and "A...B" hold the same two words
    assert all(tag and tag.key == ENGLISH.key(each) for tag, each in zip(made, spellings, strict=True))
    assert not any("\n" in tag.display for tag in made if tag)


@pytest.mark.parametrize(
    "spelling", ["x" * 8_164, "漢" * 2_721, "a b " * 60, "x" * 65, "", " ", "->", "\ufe0f"]
)
def test_p26_what_is_too_long_or_holds_no_word_is_no_tag(spelling: str) -> None:
    assert make_tag(spelling, kind="phrase", salience=1.0, normaliser=ENGLISH) is None


def test_p26_a_tag_is_far_shorter_than_an_index_allows() -> None:
    longest = make_tag("漢" * 80, kind="entity", salience=1.0, normaliser=ENGLISH)
    assert longest is not None
    assert len(longest.key.encode()) < 1_000


SCRAPS = """
    Ada Marten of the in 1936 4 May , . ! * ` “ ” ' # [ ] ( ) < > { } | & I I'm d'Or U.S. K. ß ½ The THE ___
    ... -- --opt http://x.y/z a@b.c 狂人日记 日本の 하늘 ประเทศ مدرسة İstanbul ： 《 》 ❤️
"""
TEXT = st.text(max_size=300) | st.lists(
    st.sampled_from([*SCRAPS.split(), "\ufe0f", "\x00", "\n", "\n\n", "- ", "q" * 60]), max_size=60
).map(" ".join)


@given(TEXT, TEXT, st.integers(1, 30))
def test_any_text_gives_a_sound_list_of_tags(text: str, title: str, limit: int) -> None:
    tags = tag_chunk(text, title=title, normaliser=ENGLISH, tokens=100, limit=limit)
    primary = primary_tags(text, title=title, normaliser=ENGLISH)
    assert tags[: len(primary)] == primary
    assert len(tags) <= max(limit, len(primary))
    assert len({tag.key for tag in tags}) == len(tags)
    for tag in tags:
        assert tag.key
        assert tag.key == ENGLISH.key(tag.display)
        assert tag.name == ENGLISH.name(tag.display)
        assert 0 < tag.salience <= 1
        assert len(tag.display.encode()) <= 256
    assert tags == tag_chunk(text, title=title, normaliser=ENGLISH, tokens=100, limit=limit)


@pytest.mark.parametrize("kind", ["entity", "date", "phrase"])
def test_a_tag_keeps_what_it_is_given(kind: Kind) -> None:
    tag = make_tag(" The  Beatles ", kind=kind, salience=0.5, normaliser=ENGLISH, about=True)
    assert tag == Tag("beatl", "the beatles", "The Beatles", kind, 0.5, about=True)
