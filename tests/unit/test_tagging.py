"""Taggers: the choice of one, a function of one's own, a closed vocabulary, and the caps on every list."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import InputError, ModelError, UsageError
from bamboo_neo4j.memorise.tag_list import MOST_BYTES, MOST_CHARACTERS, MOST_TAGS, clean, kind_of, too_long
from bamboo_neo4j.memorise.tagging import Tagger, find_tagger
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bamboo_neo4j.records import Tag

ENGLISH = normaliser("en")
NOTHING_SET = read_settings({}, environ={})
TEXT = "Ada Kern performed the album Green in 1998. It was recorded in Bergen with a cello."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory; what tests import from it is forgotten after them."""
    monkeypatch.chdir(tmp_path)
    known, path = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def own(here: Path) -> Callable[..., Tagger]:
    """Make a tagger of a function's source; each has a module of its own."""
    count = iter(range(1000))

    def make(source: str, *, limit: int | None = None, vocabulary: Path | None = None) -> Tagger:
        name = f"own_{next(count)}"
        (here / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        return find(f"{name}:tag", limit=limit, vocabulary=vocabulary)

    return make


def find(name: str, *, limit: int | None = None, vocabulary: Path | None = None) -> Tagger:
    return find_tagger(name, normaliser=ENGLISH, settings=NOTHING_SET, limit=limit, vocabulary=vocabulary)


def names(tags: tuple[Tag, ...]) -> list[str]:
    return [tag.display for tag in tags]


def test_rules_need_no_setting_and_wait_for_nothing() -> None:
    tagger = find("rules")
    tags = tagger.tags(TEXT, title="", tokens=20)
    assert {"Ada Kern", "Green", "Bergen", "1998"} <= set(names(tags))
    assert (tagger.waits, tagger.calls) == (False, 0)


def test_a_fixed_number_of_tags_is_obeyed() -> None:
    assert len(find("rules", limit=3).tags(TEXT, title="", tokens=20)) == 3


@pytest.mark.parametrize("limit", [0, -1, 65])
def test_a_number_of_tags_out_of_range_is_a_usage_error(limit: int) -> None:
    with pytest.raises(UsageError, match=str(limit)):
        find("rules", limit=limit)


@pytest.mark.parametrize("name", ["rule", "", "spacy", "LLM"])
def test_an_unknown_tagger_is_a_usage_error_that_names_the_known(name: str) -> None:
    with pytest.raises(UsageError, match=repr(name)) as caught:
        find(name)
    assert "module:function" in caught.value.hint


def test_llm_without_a_service_says_so_before_any_work() -> None:
    with pytest.raises(ModelError, match="no model service"):
        find("llm")


def test_a_function_gets_the_text_and_its_title_if_it_takes_one(own: Callable[..., Tagger]) -> None:
    with_title = own("def tag(text, *, title): return [title, text.split()[0]]")
    assert names(with_title.tags("Kern sang", title="Green", tokens=2))[:2] == ["Green", "Kern"]
    assert "Kern" in names(
        own("def tag(text): return [text.split()[0]]").tags("Kern sang", title="x", tokens=2)
    )
    options = own("def tag(text, **options): return [options['title'] + ' wood']")
    assert "Kelp wood" in names(options.tags("sea", title="Kelp", tokens=1))


def test_any_iterable_and_kinds_are_taken(own: Callable[..., Tagger]) -> None:
    tagger = own("def tag(text):\n    yield 'Cello'\n    yield ('green', 'entity')\n    yield 'yes'")
    tags = tagger.tags("the", title="", tokens=1)
    assert [(tag.display, tag.kind) for tag in tags] == [
        ("Cello", "entity"),
        ("green", "entity"),
        ("yes", "phrase"),
    ]
    assert [tag.salience for tag in tags] == sorted((tag.salience for tag in tags), reverse=True)
    assert all(0 < tag.salience <= 1 for tag in tags)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return None", "it returned None"),
        ("return 'a, b'", "it returned 'a, b'"),
        ("return b'a'", "it returned bytes"),
        ("return 5", "it returned int 5"),
        ("return float('nan')", "it returned nan"),
        ("return {'tags': ['a']}", "it returned dict"),
        ("return [['a', 'b']]", "list .* is no tag"),
        ("return ['a', None]", "None is no tag"),
        ("return ['a', float('nan')]", "nan is no tag"),
        ("return ['a', 7]", "int 7 is no tag"),
        ("return [('a', 'colour')]", "tuple .* is no tag"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("yield 'a'\n    1 / 0", "ZeroDivisionError"),
        ("return tag(text)", "RecursionError"),
    ],
)
def test_a_function_that_raises_or_returns_nonsense_fails_that_chunk_in_one_line(
    own: Callable[..., Tagger], body: str, says: str
) -> None:
    tagger = own(f"def tag(text):\n    {body}")
    with pytest.raises(InputError, match=says) as caught:
        tagger.tags("some text of a document", title="", tokens=5)
    assert "own_0:tag" in caught.value.message
    assert "'some text of a document'" in caught.value.message
    assert "\n" not in caught.value.message


def test_a_function_without_end_is_left(own: Callable[..., Tagger]) -> None:
    notes: list[str] = []
    tagger = own("import itertools\ndef tag(text): return (f'tag {n}' for n in itertools.count())")
    assert len(tagger.tags("x", title="", tokens=10**6, notes=notes)) <= MOST_TAGS
    assert "10000" in notes[0]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere_at_all:tag", "ModuleNotFoundError"),
        ("json:no_such_function", "no 'no_such_function'"),
        ("json:decoder", "no function"),
        ("json:", "names no function"),
        (":tag", "names no function"),
        ("my/file.py:tag", "names no function"),
        ("../evil:tag", "names no function"),
    ],
)
def test_what_is_no_function_is_a_usage_error(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        find(name)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def tag(): return []", "signature"),
        ("def tag(text, other): return []", "signature"),
        ("async def tag(text): return []", "no function that can be called"),
        ("tag = 5", "no function that can be called"),
        ("raise RuntimeError('at import')", "RuntimeError: at import"),
        ("raise SystemExit(1)", "SystemExit: 1"),
        ("def tag(text) return", "SyntaxError"),
    ],
)
def test_a_function_that_cannot_be_called_is_refused_before_any_work(
    own: Callable[..., Tagger], source: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        own(source)


def test_a_function_is_imported_from_the_current_directory_with_its_siblings(here: Path) -> None:
    (here / "sibling_words.py").write_text("WORDS = ['cello']", encoding="utf-8")
    source = "def tag(text):\n    from sibling_words import WORDS\n    return WORDS"
    (here / "own_tagger.py").write_text(source, encoding="utf-8")
    assert "cello" in names(find("own_tagger:tag").tags("x", title="", tokens=1))


def test_a_file_in_the_current_directory_does_not_stand_in_for_a_library(here: Path) -> None:
    (here / "own_tagger.py").write_text("def tag(text):\n    import colorsys\n    return [colorsys.__file__]")
    (here / "colorsys.py").write_text("", encoding="utf-8")
    assert str(here) not in names(find("own_tagger:tag").tags("x", title="", tokens=1))[0]


def test_p10_spellings_of_one_tag_are_one(own: Callable[..., Tagger]) -> None:
    tagger = own("def tag(text): return ['GPU', 'gpu', 'GPU ', 'CUDA', 'cuda']")
    assert names(tagger.tags("the", title="", tokens=5)) == ["GPU", "CUDA"]


def test_p26_too_long_a_tag_is_left_out_and_named_and_the_others_stay(own: Callable[..., Tagger]) -> None:
    lengths = [("q", 8_164), ("q", 8_165), ("q", 20_000), ("漢", 2_721), ("漢", 2_722)]
    for letter, length in lengths:
        notes: list[str] = []
        tagger = own(f"def tag(text): return ['{letter}' * {length}] + ['tag %s' % c for c in 'klmnopqrst']")
        assert len(tagger.tags("the", title="", tokens=2000, notes=notes)) == 10
        assert str(length) in notes[0]


def test_p24_signs_are_plain_text_and_distinct_tags_stay_distinct(own: Callable[..., Tagger]) -> None:
    signs = ["k`b", "O'Brien", '"q"', "{x:1}", "$p", "x]-() DETACH DELETE n //", "C++", "half-open", "A...B"]
    signs += ["back\\slash", "new\nline"]
    tagger = own(f"def tag(text): return {signs!r}")
    tags = tagger.tags("the", title="", tokens=600)
    assert len({tag.key for tag in tags}) == len(signs)
    assert names(tags)[-1] == "new line"


def test_p02_p05_only_what_can_be_written_and_found_is_a_tag(own: Callable[..., Tagger]) -> None:
    given_tags = [
        "桌子",
        "椅子",
        "하늘",
        "Жук",
        "مدرسة",
        "❤️",
        "❤",
        "👩\u200d💻",
        "\ufe0f",
        "\u200d",
        "",
        " ",
        "—",
    ]
    tagger = own(f"def tag(text): return {given_tags!r} + ['\\ud83d cat', 'a\\x00b', '\\ufeffkey']")
    tags = tagger.tags("the", title="", tokens=600)
    assert names(tags) == [*given_tags[:6], "👩\u200d💻", "cat", "a b", "key"]
    assert all(tag.key and tag.name for tag in tags)
    for tag in tags:
        (tag.key + tag.name + tag.display).encode("utf-8")


def test_primary_tags_are_in_every_list_and_marked(own: Callable[..., Tagger], here: Path) -> None:
    tagger = own("def tag(text): return ['cello', 'Bergen']", limit=2)
    tags = tagger.tags(TEXT, title="Green (album)", tokens=20)
    assert "Green" in [tag.display for tag in tags if tag.about]
    assert len(tags) == 2
    assert here.is_dir()


def words(folder: Path, text: str) -> Path:
    path = folder / "words.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_with_rules_a_vocabulary_is_a_gazetteer(tmp_path: Path) -> None:
    path = words(tmp_path, "Album: LP, records\ncello\nBergen\nviolin")
    tags = find("rules", vocabulary=path).tags(TEXT, title="", tokens=20)
    assert set(names(tags)) == {"Album", "cello", "Bergen"}


def test_a_vocabulary_restricts_the_tags_of_any_tagger_primary_ones_too(
    own: Callable[..., Tagger], tmp_path: Path
) -> None:
    path = words(tmp_path, "Album: Green, LP\nviolin")
    tagger = own("def tag(text): return ['cellos', 'LPs', 'Violins', 'Bergen']", vocabulary=path)
    tags = tagger.tags(TEXT, title="Green", tokens=20)
    assert [(tag.display, tag.about) for tag in tags] == [("Album", True), ("violin", False)]


def test_the_fingerprint_tells_apart_whatever_changes_the_tags(
    own: Callable[..., Tagger], tmp_path: Path
) -> None:
    first, second = words(tmp_path, "a1\nb1"), tmp_path / "second.txt"
    second.write_text("a1\nc1", encoding="utf-8")
    source = "def tag(text): return []"
    prints = [
        find("rules").fingerprint,
        find("rules", limit=5).fingerprint,
        find("rules", limit=6).fingerprint,
        find("rules", vocabulary=first).fingerprint,
        find("rules", vocabulary=second).fingerprint,
        own(source).fingerprint,
        own(source).fingerprint,
        own(f"__version__ = '2'\n{source}").fingerprint,
    ]
    assert len(set(prints)) == len(prints)
    assert find("rules", vocabulary=first).fingerprint == find("rules", vocabulary=first).fingerprint


@given(st.text(max_size=400))
def test_a_cleaned_tag_is_one_line_that_can_be_written(text: str) -> None:
    cleaned = clean(text + "\ud800\x00")
    cleaned.encode("utf-8")
    assert cleaned == cleaned.strip()
    assert not set("\n\r\t\x00\ufeff") & set(cleaned)
    assert clean(cleaned) == cleaned


def test_lengths_are_measured_in_characters_and_bytes() -> None:
    assert too_long("q" * MOST_CHARACTERS) == ""
    assert "characters" in too_long("q" * (MOST_CHARACTERS + 1))
    assert too_long("漢" * (MOST_BYTES // 3)) == ""
    assert "bytes" in too_long("漢" * (MOST_BYTES // 3 + 1))


@pytest.mark.parametrize(
    ("spelling", "text", "kind"),
    [
        ("1998", "", "date"),
        ("1990s", "", "date"),
        ("500 BC", "", "date"),
        ("Ada Kern", "Ada Kern sang", "entity"),
        ("Photosynthesis", "it uses photosynthesis", "phrase"),
        ("photosynthesis", "", "phrase"),
        ("iPhone", "", "entity"),
        ("桌子", "", "entity"),
        ("❤", "", "phrase"),
        ("42", "", "phrase"),
    ],
)
def test_the_kind_of_a_tag_is_read_off_its_spelling(spelling: str, text: str, kind: str) -> None:
    assert kind_of(spelling, text) == kind
