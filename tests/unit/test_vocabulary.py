"""A closed vocabulary: its file, its spellings, and finding them in texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.vocabulary import Vocabulary, read_vocabulary
from bamboo_neo4j.normalise import normaliser

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = normaliser("en")


def vocabulary(folder: Path, text: str | bytes) -> Vocabulary:
    path = folder / "tags.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_vocabulary(path, normaliser=ENGLISH)


def found(words: Vocabulary, text: str) -> list[tuple[str, int]]:
    return [(one.display, one.count) for one in words.find(text)]


def test_a_line_is_a_tag_with_its_other_spellings(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, "# metals\nCopper\n\nGraphics Card: GPU, video cards\n")
    assert len(words) == 2
    text = "A GPU and a video card; copper, coppers and graphics cards."
    assert found(words, text) == [("Graphics Card", 3), ("Copper", 2)]


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_tag(tmp_path: Path) -> None:
    assert found(vocabulary(tmp_path, b"\xef\xbb\xbfCopper\r\nTin\r\n"), "copper, tin") == [
        ("Copper", 1),
        ("Tin", 1),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("C#", "written in C# today"),
        ("C:", "the C drive"),
        ("http://a.b/c", "see http://a.b/c"),
        (r"2001\: A Space Odyssey: HAL 9000", "HAL 9000 speaks"),
        ("桌子", "我有桌子"),
        ("❤️", "I ❤ it"),
    ],
)
def test_p24_tags_with_signs_are_tags(tmp_path: Path, line: str, text: str) -> None:
    assert len(found(vocabulary(tmp_path, line), text)) == 1


def test_an_escaped_colon_belongs_to_the_tag(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, r"2001\: A Space Odyssey: HAL 9000")
    assert found(words, "HAL 9000") == [("2001: A Space Odyssey", 1)]


def test_the_longest_spelling_wins_and_none_is_found_inside_it(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, "York\nNew York\nNew York Times")
    assert found(words, "The New York Times of New York, not York.") == [
        ("New York Times", 1),
        ("New York", 1),
        ("York", 1),
    ]


def test_the_last_word_of_the_title_and_the_first_of_the_text_make_no_tag(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, "New York")
    assert words.find("York is old", title="Something New") == []
    assert [one.display for one in words.find("old", title="New York")] == ["New York"]


def test_p30_a_tag_like_a_function_word_counts_in_capitals_only(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, "IT\nUS")
    assert found(words, "it helps us") == []
    assert found(words, "The IT of the U.S. and the US") == [("US", 2), ("IT", 1)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Copper\n---\n", "line 2: '---' holds no letter"),
        ("Copper: Cu\nCurium: Cu\n", r"line 2: 'Cu' is already a spelling of 'Copper' \(line 1\)"),
        ("A\n: b\n", "line 2 names no tag"),
        (f"A\n{'q' * 121}\n", "line 2: the tag 'q+'… is too long: 121 characters"),
        (f"{'漢' * 90}\n", "line 1: .*270 bytes"),
        (b"Copper\nTin\nBl\xe9\n", "line 3 is not UTF-8"),
        ("", "holds no tag"),
        ("# nothing\n\n", "holds no tag"),
    ],
)
def test_a_line_that_cannot_be_a_tag_is_named(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        vocabulary(tmp_path, text)
    assert "tags.txt" in caught.value.message
    assert "\n" not in caught.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape("none.txt")):
        read_vocabulary(tmp_path / "none.txt", normaliser=ENGLISH)
    with pytest.raises(InputError, match="is a folder"):
        read_vocabulary(tmp_path, normaliser=ENGLISH)


def test_the_same_tag_twice_is_one(tmp_path: Path) -> None:
    assert len(vocabulary(tmp_path, "Copper: Cu\nCopper: Cu, Kupfer\n")) == 1


def test_the_digest_is_that_of_the_meaning_not_of_the_file(tmp_path: Path) -> None:
    first = vocabulary(tmp_path, "A1: B1\nC1\n").digest
    assert vocabulary(tmp_path, "# new\nC1\n\nA1:  B1 \n").digest == first
    assert vocabulary(tmp_path, "A1: B1, D1\nC1\n").digest != first
    assert vocabulary(tmp_path, "A2: A1, B1\nC1\n").digest != first
