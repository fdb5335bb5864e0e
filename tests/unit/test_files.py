"""Files that a user names are opened only if they have an end, and an id is of one document."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.connect.export.files import opened
from bamboo_neo4j.errors import InputError, UsageError
from bamboo_neo4j.evaluate.datasets import read_dataset
from bamboo_neo4j.files import require_file
from bamboo_neo4j.memorise.inputs import as_document, one_document, read_inputs
from bamboo_neo4j.memorise.vocabulary import read_vocabulary
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_import(path: Path) -> None:
    with opened(path) as lines:
        next(lines)


READERS = {
    "vocabulary": lambda path: read_vocabulary(path, normaliser=normaliser("en")),
    "import": read_import,
    "data set": lambda path: read_dataset([path]),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("kind", ["a folder", "a named pipe", "a device"])
def test_what_has_no_end_is_refused_before_it_is_opened(
    tmp_path: Path, kind: str, reader: Callable[[Path], object]
) -> None:
    path = tmp_path / "given"
    if kind == "a folder":
        path.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match=f"is {kind}"):
        reader(path)


def test_a_file_above_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "tags.txt"
    path.write_text("one\ntwo\n")
    require_file(path, "the vocabulary", most=8)
    with pytest.raises(InputError, match="larger than 7 bytes"):
        require_file(path, "the vocabulary", most=7)


def test_a_path_to_nothing_or_of_odd_characters_is_left_to_who_opens_it(tmp_path: Path) -> None:
    require_file(tmp_path / "none", "it")
    require_file("a\x00b", "it")


def write(folder: Path, count: int) -> Path:
    for number in range(count):
        (folder / f"{number}.txt").write_text(f"Ada Kern wrote letter {number}.")
    return folder


def test_an_id_is_of_one_document_and_refused_for_a_folder_of_two(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'notes' is for one document"):
        read_inputs([write(tmp_path, 2)], document_id="notes")


def test_an_id_may_be_given_where_only_one_document_results(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    found = list(read_inputs([write(tmp_path, 1), tmp_path / "none.txt"], document_id="notes"))
    assert [one.id for one in found if isinstance(one, Document)] == ["notes"]
    assert len(found) == 3


def test_an_id_given_to_several_texts_is_refused() -> None:
    texts = (as_document(text, document_id="notes") for text in ("Ada wrote.", "Leo wrote."))
    with pytest.raises(UsageError, match="one document"):
        one_document(texts, "notes")
