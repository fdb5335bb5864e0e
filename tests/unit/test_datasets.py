from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.evaluate.datasets import Dataset, Passage, read_dataset

DATA = Path(os.environ.get("BAMBOO_DATA") or Path(__file__).parents[3] / "shared" / "data")

CARTWRIGHT = {"title": "Cartwright", "text": "Mill owner.", "is_supporting": True}
LOOM = {"title": "Loom", "text": "Weaves cloth.", "is_supporting": False}
READING = {
    "id": "r1",
    "question": "Who owned the mill?",
    "answer": "Cartwright",
    "aliases": ["E. Cartwright"],
    "hops": 2,
    "type": "bridge",
    "paragraphs": [CARTWRIGHT, LOOM],
}
CHAT = {"id": "c1", "text": "Ada: the tea is cold."}
ABOUT_CHAT = {"id": "q1", "question": "What is cold?", "answer": "tea", "evidence": ["c1"]}


def write(folder: Path, name: str, *rows: object) -> Path:
    path = folder / name
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows), "utf-8")
    return path


def test_paragraphs_become_passages_and_the_supporting_ones_gold(tmp_path: Path) -> None:
    dataset = read_dataset([write(tmp_path, "a.jsonl", READING)])
    owner, loom = dataset.passages
    (question,) = dataset.questions
    assert (owner.title, owner.text, loom.title) == ("Cartwright", "Mill owner.", "Loom")
    assert question.gold == {owner.id}
    assert question.answers == ("Cartwright", "E. Cartwright")
    assert question.kinds == ("bridge", "2 steps")


def test_several_files_are_one_pool_without_repeated_passages(tmp_path: Path) -> None:
    other = {
        **READING,
        "id": "r2",
        "question": "What weaves?",
        "paragraphs": [CARTWRIGHT | {"title": ""}, LOOM],
    }
    dataset = read_dataset([write(tmp_path, "a.jsonl", READING), write(tmp_path, "b.jsonl", other)])
    assert [(each.title, each.text) for each in dataset.passages] == [
        ("Cartwright", "Mill owner."),
        ("Loom", "Weaves cloth."),
        ("", "Mill owner."),
    ]
    assert len(dataset.questions) == 2


def test_a_file_given_twice_asks_each_question_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", READING)
    assert read_dataset([path, path]) == read_dataset([path])


def test_evidence_may_stand_before_its_passages(tmp_path: Path) -> None:
    files = [write(tmp_path, "questions.jsonl", ABOUT_CHAT), write(tmp_path, "chats.jsonl", CHAT)]
    dataset = read_dataset(files)
    assert dataset.passages == (Passage("c1", "", "Ada: the tea is cold."),)
    assert dataset.questions[0].gold == {"c1"}


def test_evidence_that_names_a_copy_means_the_pooled_passage(tmp_path: Path) -> None:
    copy = {"id": "c2", "text": CHAT["text"]}
    question = {**ABOUT_CHAT, "evidence": ["c2"]}
    assert read_dataset([write(tmp_path, "a.jsonl", CHAT, copy, question)]).questions[0].gold == {"c1"}


def test_a_question_without_gold_is_read_but_not_scored(tmp_path: Path) -> None:
    nothing = {"id": "q2", "question": "What is blue?", "evidence": []}
    dataset = read_dataset([write(tmp_path, "a.jsonl", CHAT, ABOUT_CHAT, nothing)])
    assert len(dataset.questions) == 2
    assert [each.id for each in dataset.scored] == ["q1"]


def test_a_question_is_not_answerable_where_its_line_its_evidence_or_its_file_says_so(tmp_path: Path) -> None:
    rows = [
        CHAT,
        ABOUT_CHAT,
        ABOUT_CHAT | {"id": "said", "answerable": False},
        ABOUT_CHAT | {"id": "none", "evidence": []},
        ABOUT_CHAT | {"id": "known elsewhere", "evidence": [], "answerable": True},
        {"id": "no answer to compare with", "question": "Why?", "evidence": ["c1"]},
    ]
    lacking = write(tmp_path, "b.jsonl", READING | {"id": "lacking"})
    dataset = read_dataset([write(tmp_path, "a.jsonl", *rows)], unanswerable=[lacking])
    assert {each.id: each.answerable for each in dataset.asked} == {
        "q1": True,
        "said": False,
        "none": False,
        "known elsewhere": True,
        "lacking": False,
    }


def test_the_format_is_told_from_the_content_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "packed.txt"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(READING).encode() + b"\n\n"))
    assert len(read_dataset([path]).questions) == 1


def test_the_digest_names_the_passages_whatever_their_order(tmp_path: Path) -> None:
    one = read_dataset([write(tmp_path, "a.jsonl", READING)])
    assert one.digest == Dataset(one.passages[::-1], ()).digest
    assert one.digest != Dataset(one.passages[:1], ()).digest


def test_a_passage_is_searched_with_its_title_on_a_line_of_its_own() -> None:
    assert Passage("1", "Loom", "Weaves.").content == "Loom\nWeaves."
    assert Passage("1", "", "Weaves.").content == "Weaves."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON: Expecting property name"),
        ('{"text": "x", "text": "y"}', "gives the key 'text' twice"),
        ("[1]", "a JSON list, not an object"),
        ('{"path": "x"}', "neither 'question' nor 'text' in it"),
        ('{"text": 3}', "'text' is no text"),
        ('{"text": "x", "id": 3}', "'id' is no text"),
        ('{"text": " "}', "'text' is no text"),
        ('{"question": "Who?"}', "no 'evidence'"),
        ('{"question": "Who?", "evidence": "c1"}', "'evidence' is no list of strings"),
        ('{"question": "Who?", "evidence": ["c9"]}', "the evidence 'c9' is a passage of none of the files"),
        ('{"question": "Who?", "paragraphs": {}}', "'paragraphs' is no list of objects"),
        ('{"question": "Who?", "paragraphs": [{"title": "T"}]}', "'text' is no text"),
        ('{"question": "Who?", "evidence": [], "answerable": 1}', "'answerable' is neither true nor false"),
        ('{"question": null, "paragraphs": []}', "'question' is no text"),
        ('{"id": "c1", "text": "another"}', "the id 'c1' belongs to another passage already"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_malformed_line_is_named_with_file_line_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, "bad.jsonl", CHAT, "", line)
    with pytest.raises(InputError) as raised:
        read_dataset([path])
    assert raised.value.message.startswith(f"{str(path)!r}, line 3: ")
    assert reason in raised.value.message


def test_files_without_a_question_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hold no questions"):
        read_dataset([write(tmp_path, "a.jsonl", CHAT)])
    with pytest.raises(InputError, match="hold no questions"):
        read_dataset([write(tmp_path, "empty.jsonl")])
    with pytest.raises(InputError, match="hold no passages"):
        read_dataset([write(tmp_path, "q.jsonl", {"question": "Who?", "evidence": []})])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl' cannot be read: No such file"):
        read_dataset([tmp_path / "none.jsonl"])
    with pytest.raises(InputError, match="is a folder"):
        read_dataset([tmp_path])


def test_damaged_bytes_are_named(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(READING).encode() * 99)[:-20])
    with pytest.raises(InputError, match="line 1: the compressed data is damaged"):
        read_dataset([cut])
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"text": "café"}'.encode("latin-1"))
    with pytest.raises(InputError, match="line 1: not UTF-8"):
        read_dataset([latin])


SETS = {
    "hotpotqa": (("hotpotqa/dev_100", "hotpotqa/train_100"), 1985, 200),
    "musique": (("musique/musique",), 2703, 147),
    "2wikimultihopqa": (("2wikimultihopqa/train",), 1039, 149),
    "lihua_world": (("lihua_world/questions", "lihua_world/chats"), 442, 177),
    "tldr": (("tldr/passages", "tldr/questions"), 4234, 600),
}


@pytest.mark.skipif(not DATA.is_dir(), reason="BAMBOO_DATA names no folder of data sets")
@pytest.mark.parametrize(("files", "passages", "questions"), SETS.values(), ids=SETS)
def test_the_public_sets_have_their_published_sizes(
    files: tuple[str, ...], passages: int, questions: int
) -> None:
    dataset = read_dataset(DATA / f"{name}.jsonl.gz" for name in files)
    assert (len(dataset.passages), len(dataset.scored)) == (passages, questions)
