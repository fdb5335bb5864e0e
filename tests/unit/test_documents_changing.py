"""Files that change while they are read: each is read as it was, or named; nothing hangs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.documents import Source, find_sources, load
from bamboo_neo4j.memorise.inputs import read_inputs
from bamboo_neo4j.records import Document, Failure

if TYPE_CHECKING:
    from pathlib import Path


def passage(number: int) -> str:
    return json.dumps({"id": str(number), "text": f"Ada Kern wrote letter {number}."}) + "\n"


def test_a_file_that_grows_with_every_passage_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "letters.jsonl"
    path.write_text("".join(map(passage, range(500))))
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    read = []
    with path.open("a", buffering=1) as file:
        for number, document in enumerate(load(source), 500):
            read.append(document.id)
            file.write(passage(number))
    assert read == [str(number) for number in range(500)]


def test_a_file_that_is_cut_while_it_is_read_gives_what_was_there_and_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "letters.jsonl"
    path.write_text("".join(map(passage, range(5_000))))
    found = []
    for one in read_inputs([path]):
        found.append(one)
        if len(found) == 1:
            path.write_text(passage(0)[:20])
    assert [one.id for one in found if isinstance(one, Document)][:3] == ["0", "1", "2"]
    assert len(found) < 5_000


def test_a_file_that_is_gone_when_it_is_its_turn_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"Ada Kern wrote {name}.")
    found = []
    for one in read_inputs([tmp_path]):
        found.append(one)
        (tmp_path / "b.txt").unlink(missing_ok=True)
    assert [type(one) for one in found] == [Document, Failure, Document]
