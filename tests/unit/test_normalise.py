"""What a word is, for chunks, tags and questions alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.normalise import MAX_TERM, SEPARATOR, chunk_terms, normaliser

ENGLISH = normaliser("en")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ada's engine", "ada engine"),
        ("Ada’s engine", "ada engine"),
        ("don't", "don t"),
        ("the U.S. Army", "the us army"),
        ("LiHua met HTMLParser", "li hua met html parser"),
        ("iPhone PhD URLs", "iphone phd urls"),
        ("C++ C# C++11 A+B x+1", "c++ c# c++ 11 a b x 1"),
        ("snake_case", "snake case"),
        ("Straße Łódź Malmö Ålesund", "strasse lodz malmo alesund"),
        ("½ ﬁre ＡＢＣ", "1 2 fire abc"),
        ("co\u00adoperate", "cooperate"),
        ("Ёлка Київ", "елка київ"),
        ("Σίσυφος", "σισυφοσ"),
        ("शांति हिन्दी", "शांति हिन्दी"),
        ("하늘이", "하늘이"),
        ("ｶﾞｰﾃﾞﾝ ガーデン", "ガーデン ガーデン"),
        ("鲁迅Python编程", "鲁迅 python 编程"),
        ("JavaScript가", "java script 가"),
        ("McDonald macOS GPT4All naïveBayes", "mc donald mac os gpt4all naive bayes"),
    ],
)
def test_spellings_fold_to_what_people_type(text: str, folded: str) -> None:
    assert ENGLISH.name(text) == folded


def test_p01_the_turkish_letters_i_are_one_letter() -> None:
    turkish = normaliser("tr")
    for each in (turkish, ENGLISH):
        assert each.name("İstanbul") == each.name("istanbul") == each.name("ISTANBUL") == "istanbul"
        assert each.key("ırmak") == each.key("IRMAK") == each.key("Irmak") == each.key("irmak")
        assert "\u0307" not in each.name("İstanbul")


def test_p02_every_script_and_emoji_has_a_key_of_its_own() -> None:
    tags = ["桌子", "椅子", "하늘", "Жук", "مدرسة", "❤", "👩‍💻"]
    keys = [ENGLISH.key(tag) for tag in tags]
    assert all(keys)
    assert len(set(keys)) == len(tags)


def test_p02_variants_of_one_tag_share_their_key() -> None:
    assert ENGLISH.key("❤️") == ENGLISH.key("❤") == "❤"
    assert ENGLISH.key("مَدْرَسَة") == ENGLISH.key("مدرسة")


def test_p02_a_joined_emoji_is_one_token() -> None:
    assert [token.text for token in ENGLISH.tokens("👩‍💻 and 🇩🇪🇫🇷")] == ["👩‍💻", "and", "🇩🇪", "🇫🇷"]


@pytest.mark.parametrize("tag", ["", " ", "\ufe0f", "\u200d", "->", "*", "\ud83d", "\u0301", "___"])
def test_p02_a_tag_without_a_word_has_no_key(tag: str) -> None:
    assert ENGLISH.key(tag) == ""
    assert ENGLISH.name(tag) == ""


def test_text_without_spaces_is_matched_by_pairs_of_characters() -> None:
    assert ENGLISH.key("狂人日记") == "狂人 人日 日记"
    assert ENGLISH.key("狂人日记") in " ".join(ENGLISH.terms("鲁迅写了狂人日记。"))
    assert ENGLISH.key("雨") == "雨"


def test_a_segmenter_finds_chinese_words_where_it_is_installed() -> None:
    pytest.importorskip("jieba", reason="the extra zh is not installed")
    chinese = normaliser("zh")
    assert chinese.segments
    assert chinese.key("狂人日记") in chinese.terms("鲁迅发表了《狂人日记》。")
    assert not ENGLISH.segments


def test_tokens_say_where_they_stand() -> None:
    text = "The U.S. bought Li'l C++ — LiHua’s 狂人日记 and ½ 👩‍💻"
    for token in ENGLISH.tokens(text):
        assert text[token.start : token.end] == token.text


def test_terms_are_stems_without_function_words_and_endless_runs() -> None:
    assert ENGLISH.terms("The houses of Ada's friends " + "q" * 65) == ["hous", "ada", "friend"]
    assert ENGLISH.terms("q" * MAX_TERM) == ["q" * MAX_TERM]


@pytest.mark.parametrize(
    ("tag", "key"),
    [("The Beatles", "beatl"), ("a house", "hous"), ("The Who", "the who"), ("The", "the"), ("WHO", "who")],
)
def test_a_leading_article_goes_unless_only_function_words_are_left(tag: str, key: str) -> None:
    assert ENGLISH.key(tag) == key


def test_generic_words_are_no_function_words_and_are_known_by_stem_too() -> None:
    assert ENGLISH.is_generic("first")
    assert ENGLISH.is_generic("world")
    assert not ENGLISH.is_generic("the")
    assert not ENGLISH.is_generic("hydrogen")
    assert not ENGLISH.generic_stems & ENGLISH.function_words
    assert ENGLISH.is_function_word("the")


def test_the_terms_of_a_chunk_hold_its_title_twice_set_apart() -> None:
    assert chunk_terms(ENGLISH, "Ada Lovelace", "She wrote.") == (
        f"ada lovelac {SEPARATOR} ada lovelac {SEPARATOR} wrote",
        5,
    )
    assert chunk_terms(ENGLISH, "", "She wrote.") == ("wrote", 1)
    assert chunk_terms(ENGLISH, "", "") == ("", 0)
    assert ENGLISH.terms(SEPARATOR) == []


@pytest.mark.parametrize("spelling", ["de", "DE", "de-AT", "de_CH", "german", "German", "deu"])
def test_a_language_may_be_spelled_in_many_ways(spelling: str) -> None:
    assert normaliser(spelling) is normaliser("de")
    assert normaliser(spelling).key("Die Häuser") == "haus"


def test_a_language_without_a_stemmer_folds_only() -> None:
    assert normaliser("is").key("Running Wörter") == "running worter"


@pytest.mark.parametrize("spelling", ["", "e", "klingonish", "42", "e n"])
def test_what_is_no_language_is_refused(spelling: str) -> None:
    with pytest.raises(UsageError, match="no language"):
        normaliser(spelling)


def test_the_fingerprint_tells_languages_apart_and_is_stable() -> None:
    prints = [normaliser(code).fingerprint for code in ("en", "de", "zh", "is")]
    assert len(set(prints)) == len(prints)
    assert prints[0] == type(ENGLISH)("en").fingerprint


@pytest.mark.parametrize("code", ["en", "de", "tr", "ru", "ar", "hi", "zh", "sr", "is"])
def test_every_language_takes_any_text(code: str) -> None:
    text = "Straße 狂人日记 हिन्दी مَدْرَسَة русский İstanbul ประเทศไทย 하늘 ❤️ שָׁלוֹם"
    each = normaliser(code)
    assert each.key(text)
    assert all(each.terms(text))


ANY = st.text(max_size=40) | st.text(
    alphabet=st.sampled_from(
        "aIıİßéμΣς'’s._+#-Żهأي\u0301\u0307\ufe0f\u200d❤👩💻🇩🇪桌子がｶﾞ하\u1112\u1161กไ½ﷺ\ud83d\x00 \n"
    ),
    max_size=20,
)


@given(ANY)
def test_folding_twice_changes_nothing(text: str) -> None:
    name = ENGLISH.name(text)
    assert ENGLISH.name(name) == name


@given(ANY)
def test_a_name_leads_to_the_key_of_its_tag(text: str) -> None:
    for each in (ENGLISH, normaliser("tr"), normaliser("ru")):
        assert each.key(each.name(text)) == each.key(text)


@given(ANY)
def test_spellings_that_unicode_holds_equal_have_one_key(text: str) -> None:
    nfd = unicodedata.normalize("NFD", text)
    assert ENGLISH.key(nfd) == ENGLISH.key(unicodedata.normalize("NFC", text))


@given(ANY)
def test_tokens_are_in_order_inside_the_text_and_can_be_stored(text: str) -> None:
    tokens = ENGLISH.tokens(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    assert all(token.folded and token.stem and " " not in token.stem for token in tokens)
    " ".join(token.stem for token in tokens).encode()


@given(ANY)
def test_keys_and_terms_carry_no_stray_blanks(text: str) -> None:
    key = ENGLISH.key(text)
    assert key == " ".join(key.split())
    assert all(0 < len(term) <= MAX_TERM and term.split() == [term] for term in ENGLISH.terms(text))
