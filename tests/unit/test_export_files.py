"""A file of an export is proved whole before anything is written: no server is needed to see that."""

from __future__ import annotations

import gzip
import io
import json
import random
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.connect.export.agreement import Agreement
from bamboo_neo4j.connect.export.files import lines, whole_file
from bamboo_neo4j.connect.export.form import chunk_name, encode, is_moment, pack
from bamboo_neo4j.connect.export.staging import Stage
from bamboo_neo4j.connect.export.validating import read_whole
from bamboo_neo4j.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Record = dict[str, Any]

TAGS = ("alma", "bridge", "crown")
FRESH = {"strength": 0.9, "usedStrength": 0.9, "usedCycle": 0, "activations": 0}


def chunk(document: str, ordinal: int, text: str, tags: tuple[str, ...], number: int = 0) -> Record:
    return {
        "type": "chunk",
        "id": chunk_name(document, text, number),
        "document": document,
        "ordinal": ordinal,
        "text": text,
        "tokens": 3,
        "terms": f"{text} | {document}",
        "length": 2,
        "tags": [{"key": tag, "kind": "entity", "salience": 1.0, "about": tag == tags[0]} for tag in tags],
    }


def document(name: str) -> Record:
    texts = {"uri": f"file:///{name}", "title": name, "mediaType": "text/plain", "tagger": "t"}
    times = {"contentHash": "h", "unfinished": None, "ingestedAt": "2026-01-01T00:00:00.123456789Z"}
    return {"type": "document", "id": name, **texts, **times}


def records() -> list[Record]:
    """Two documents of three chunks, with learning, a fact, an episode and a mind map."""
    first = chunk("a", 0, "x", ("alma", "bridge"))
    head = {"bamboo": "export", "version": 1, "memory": "m", "language": "en", "normaliser": "n"}
    clock = {"createdAt": "2026-01-01T00:00:00Z", "cycle": 3, "swept": 2, "sweeping": None}
    body = [
        *({"type": "tag", "key": tag, "name": tag, "display": tag.title()} for tag in TAGS),
        document("a"),
        first,
        chunk("a", 1, "x", ("alma", "bridge", "crown"), number=1),
        document("b"),
        chunk("b", 0, "y", ("bridge",)),
        *({"type": "word", "name": word, "df": df} for word, df in (("a", 2), ("b", 1), ("x", 2), ("y", 1))),
        {"type": "edge", "tags": ["alma", "bridge"], "weight": 2, "strength": 0.6, "usedStrength": 0.6},
        {"type": "edge", "tags": ["alma", "crown"], "weight": 1},
        {"type": "edge", "tags": ["bridge", "crown"], "weight": 1},
        {
            "type": "fact",
            "id": "f1",
            "subject": "alma",
            "object": "crown",
            "properties": {"predicate": "has", "confidence": 0.9, **FRESH},
        },
        {"type": "coactivation", "tags": ["alma", "crown"], "count": 2},
        {
            "type": "episode",
            "id": "e1",
            "properties": {"question": "Who?", "src": ["alma", None], "dst": ["bridge", None]},
            "chunks": [first["id"]],
        },
        {
            "type": "mindmap",
            "id": "m1",
            "properties": {},
            "questions": [
                {"id": "q1", "parent": None, "order": None, "properties": {"text": "?"}, "chunks": []},
                {"id": "q2", "parent": "q1", "order": 0, "properties": {}, "chunks": [first["id"]]},
            ],
        },
    ]
    kinds = ("tag", "document", "chunk", "word", "edge", "fact", "coactivation", "episode", "mindmap")
    end = {"type": "end"} | {kind: sum(each["type"] == kind for each in body) for kind in kinds}
    return [{**head, **clock, "chunks": 3, "terms": 6}, *body, end]


def written(path: Path, given_records: list[Record]) -> Path:
    path.write_bytes(b"".join(map(encode, given_records)))
    return path


def read(path: Path) -> str:
    with Stage() as stage:
        return read_whole(path, stage, memory="m").digest


def index(kind: str) -> int:
    return next(number for number, record in enumerate(records()) if record.get("type") == kind)


def test_a_whole_file_is_read_compressed_or_not(tmp_path: Path) -> None:
    path = written(tmp_path / "m.jsonl", records())
    packed = tmp_path / "m.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(path) == read(packed)


def change(kind: str, **values: object) -> Callable[[list[Record]], None]:
    def apply(given_records: list[Record]) -> None:
        given_records[index(kind)].update(values)

    return apply


def nested(kind: str, *path: str | int, value: object) -> Callable[[list[Record]], None]:
    def apply(given_records: list[Record]) -> None:
        place: Any = given_records[index(kind)]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return apply


WRONG: dict[str, tuple[Callable[[list[Record]], object], str]] = {
    "another program's file": (lambda all_: all_[0].pop("bamboo"), "not an export"),
    "another version": (lambda all_: all_[0].update(version=2), "version 2"),
    "a version of another type": (lambda all_: all_[0].update(version=[1]), "version"),
    "no language": (lambda all_: all_[0].pop("language"), "language"),
    "other counters": (lambda all_: all_[0].update(chunks=4), "first line counts"),
    "a clock below zero": (lambda all_: all_[0].update(cycle=-1), "cycle"),
    "a type nobody knows": (change("tag", type="spell"), "unknown type"),
    "a type that is a list": (change("tag", type=["tag"]), "unknown type"),
    "a field nobody knows": (change("tag", colour="red"), "unknown field 'colour'"),
    "a tag without a key": (change("tag", key=""), "'key' is empty"),
    "a tag of ten thousand bytes": (change("tag", key="alma" * 2500), "longer than"),
    "a number for a name": (change("tag", name=7), "'name' is no text"),
    "the same tag twice": (lambda all_: all_.insert(1, dict(all_[1])), "twice"),
    "tags out of order": (lambda all_: all_.insert(1, all_.pop(2)), "out of order"),
    "the same document twice": (lambda all_: all_[index("document") + 3].update(id="a"), "twice"),
    "an id of ten thousand bytes": (change("document", id="i" * 10_000), "longer than"),
    "a time without an offset": (change("document", ingestedAt="2026-01-01T00:00:00"), "ingestedAt"),
    "a day that is not": (change("document", ingestedAt="2026-02-30T00:00:00Z"), "ingestedAt"),
    "a chunk of a document that is not there": (change("chunk", document="z"), "another document"),
    "a chunk whose text was changed": (change("chunk", text="z"), "is not that of this text"),
    "a chunk out of place": (change("chunk", ordinal=1), "out of place"),
    "a place that is a truth value": (change("chunk", ordinal=False), "ordinal"),
    "a length that is wrong": (change("chunk", length=3), "'length' is 3"),
    "a term that is too long": (change("chunk", terms=f"x {'y' * 5000}"), "longer than"),
    "a tag that is not there": (nested("chunk", "tags", 0, "key", value="zorro"), "no tag has the key"),
    "a tag of a chunk twice": (nested("chunk", "tags", 1, "key", value="alma"), "twice"),
    "a tag that is no object": (nested("chunk", "tags", 0, value="alma"), "no object"),
    "a kind that is a list": (nested("chunk", "tags", 0, "kind", value=["entity"]), "'kind'"),
    "a kind nobody knows": (nested("chunk", "tags", 0, "kind", value="colour"), "'kind'"),
    "a salience above one": (nested("chunk", "tags", 0, "salience", value=1.5), "salience"),
    "tags that are no list": (change("chunk", tags={"alma": 1}), "'tags' is no list"),
    "a document without chunks": (lambda all_: all_.pop(index("document") + 4), "has no chunk"),
    "a frequency that is wrong": (change("word", df=7), "document frequencies"),
    "a word that is missing": (
        lambda all_: (all_.pop(index("word")), all_[-1].update(word=3)),
        "frequencies",
    ),
    "a weight that is wrong": (change("edge", weight=3), "weights of the edges"),
    "a weight that is a fraction": (change("edge", weight=2.0), "'weight' is no whole number"),
    "a weight below zero": (change("edge", weight=-2), "'weight'"),
    "no weight and nothing learned": (change("edge", weight=0), "not emergent"),
    "an edge that is missing": (lambda all_: (all_.pop(index("edge")), all_[-1].update(edge=2)), "weights"),
    "an edge to itself": (change("edge", tags=["alma", "alma"]), "two different keys"),
    "an edge backwards": (change("edge", tags=["bridge", "alma"]), "two different keys"),
    "an edge to a tag that is not there": (change("edge", tags=["alma", "bridges"]), "no tag has the key"),
    "a strength above one": (change("edge", strength=1.1), "strength"),
    "a strength that is a text": (change("edge", usedStrength="high"), "usedStrength"),
    "a fact about nothing": (change("fact", object="zorro"), "no tag has the key"),
    "a fact with an id for Cypher": (change("fact", id="x'}) DETACH DELETE n //"), "is no id"),
    "a fact without a predicate": (nested("fact", "properties", "predicate", value=""), "'predicate'"),
    "a confidence above one": (nested("fact", "properties", "confidence", value=1.1), "confidence"),
    "a confidence that is a text": (nested("fact", "properties", "confidence", value="high"), "confidence"),
    "a fact with half a learning": (nested("fact", "properties", "activations", value=0.5), "activations"),
    "a fact from a day that is a text": (nested("fact", "properties", "validTo", value="now"), "no day"),
    "a property named in Cypher": (nested("fact", "properties", "a`: 1} //", value=1), "cannot name"),
    "a property that is the id": (nested("fact", "properties", "id", value="other"), "cannot name"),
    "a property that is an object": (nested("fact", "properties", "validFrom", value={"x": 1}), "no day"),
    "a property that is a list of all": (nested("fact", "properties", "all", value=[1, "a"]), "is no text"),
    "a number of 70 bits": (nested("fact", "properties", "big", value=2**70), "is no text"),
    "a joint use never": (change("coactivation", count=0), "count"),
    "a chunk of an episode that is not there": (change("episode", chunks=["ff"]), "no chunk has the id"),
    "a tag of an episode that is not there": (
        nested("episode", "properties", "src", 0, value="zorro"),
        "no tag",
    ),
    "a status of ten thousand bytes": (
        nested("episode", "properties", "status", value="s" * 10_000),
        "longer",
    ),
    "tags of an episode that are a text": (nested("episode", "properties", "src", value="alma"), "no list"),
    "facts of an episode that are a number": (nested("episode", "properties", "facts", value=7), "no list"),
    "a fact of an episode that is null": (nested("episode", "properties", "facts", value=[None]), "'facts'"),
    "a list with null": (nested("fact", "properties", "src", value=[None]), "is no text"),
    "a question before its parent": (
        nested("mindmap", "questions", 0, "parent", value="q2"),
        "before its parent",
    ),
    "a question twice": (nested("mindmap", "questions", 1, "id", value="q1"), "twice"),
    "types out of order": (
        lambda all_: all_.insert(index("word"), all_.pop(index("edge"))),
        "out of place",
    ),
    "a chunk before any document": (lambda all_: all_.insert(4, all_.pop(5)), "another document"),
    "the last line missing": (lambda all_: all_.pop(), "cut off"),
    "a record lost on the way": (
        lambda all_: all_.pop(index("fact")),
        "counts other than 0 records of type 'fact'",
    ),
    "something after the end": (lambda all_: all_.append(dict(all_[1])), "after the last line"),
    "the last line alone": (lambda all_: all_.__delitem__(slice(0, -1)), "not an export"),
    "nothing but the first line": (lambda all_: all_.__delitem__(slice(1, None)), "cut off"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_file_with_a_fault_is_refused_and_says_what_it_is(fault: str, tmp_path: Path) -> None:
    break_it, reason = WRONG[fault]
    broken = records()
    break_it(broken)
    with pytest.raises(InputError, match="line ") as caught:
        read(written(tmp_path / "m.jsonl", broken))
    assert reason in caught.value.message
    assert caught.value.hint == "nothing was imported"
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 600


RAW = {
    "nothing": b"",
    "a blank line": b"\n",
    "no JSON": b"hello\n",
    "half a line": encode(records()[0])[:40],
    "NaN": encode(records()[0]).replace(b'"cycle":3', b'"cycle":NaN'),
    "infinity": encode(records()[0]).replace(b'"cycle":3', b'"cycle":-Infinity'),
    "a number too large for a float": encode(records()[0]).replace(b'"cycle":3', b'"cycle":1e999'),
    "a number of 5,000 digits": encode(records()[0]).replace(b'"cycle":3', b'"cycle":' + b"9" * 5000),
    "another encoding": encode(records()[0]).decode().encode("utf-16"),
    "half a character": encode(records()[0]).replace(b'"m"', b'"\\ud800"'),
    "a deep nest": b"[" * 200_000 + b"]" * 200_000,
    "a key given twice": encode(records()[0]).replace(b'"cycle":3', b'"cycle":3,"cycle":4'),
    "a list": b"[1, 2]\n",
    "a byte order mark": b"\xef\xbb\xbf" + encode(records()[0]),
    "a damaged archive": gzip.compress(b"".join(map(encode, records())))[:-20],
    "an archive of rubbish": b"\x1f\x8b\x08" + b"rubbish" * 10,
}


@pytest.mark.parametrize("content", RAW)
def test_what_is_no_json_line_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(RAW[content])
    with pytest.raises(InputError) as caught:
        read(path)
    assert "\n" not in caught.value.message


def test_an_endless_line_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(b" " * 1024 * 1024)
    with pytest.raises(InputError, match="longer than 64 MiB"):
        read(path)


def test_an_open_file_is_written_and_read_and_stays_open(tmp_path: Path) -> None:
    file, whole = io.BytesIO(), b"".join(map(encode, records()))
    with whole_file(file) as inside:
        inside.write(whole)
    assert file.getvalue() == whole
    file.seek(0)
    with Stage() as stage:
        assert read_whole(file, stage, memory="m").digest == read(written(tmp_path / "m.jsonl", records()))
    assert not file.closed
    with pytest.raises(RuntimeError), whole_file(file):
        raise RuntimeError
    assert file.getvalue() == whole, "half an export is none"


@pytest.mark.parametrize(("path", "said"), [("nowhere.jsonl", "cannot use"), (".", "is a folder")])
def test_what_cannot_be_read_is_named(path: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path / path)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("seed", range(300))
def test_a_file_damaged_anywhere_is_refused_or_whole_in_form(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    whole = b"".join(map(encode, records()))
    damaged = damage(whole, choose)
    path = tmp_path / "m.jsonl"
    path.write_bytes(damaged)
    try:
        read(path)
    except InputError as error:
        assert "\n" not in error.message  # noqa: PT017 - one that is read is looked at below
    else:
        texts = [json.loads(line) for line in damaged.splitlines()]
        assert [list(each) for each in texts] == [list(each) for each in records()]


def damage(whole: bytes, choose: random.Random) -> bytes:
    every = whole.splitlines(keepends=True)
    place = choose.randrange(len(whole))
    line = choose.randrange(len(every))
    kind = choose.randrange(5)
    if kind == 0:
        return whole[:place] + bytes([whole[place] ^ (1 << choose.randrange(8))]) + whole[place + 1 :]
    if kind == 1:
        return whole[:place] + whole[place + choose.randrange(1, 40) :]
    if kind == 2:
        return b"".join([*every[:line], *every[line + 1 :]])
    if kind == 3:
        return b"".join([*every[:line], every[choose.randrange(len(every))], *every[line:]])
    return whole[:place] + choose.randbytes(choose.randrange(1, 9)) + whole[place:]


Chunks = st.lists(st.sets(st.sampled_from("abcdefg"), max_size=6), max_size=8)


@given(chunks=Chunks, wrong=st.integers(0, 1000))
def test_sums_agree_when_every_weight_is_right_and_only_then(chunks: list[set[str]], wrong: int) -> None:
    agreement = Agreement()
    weights: dict[tuple[str, str], int] = {}
    for tags in chunks:
        agreement.chunk(tags=tags, terms=tags, length=len(tags))
        for pair in combinations(sorted(tags), 2):
            weights[pair] = weights.get(pair, 0) + 1
    for (first, second), weight in weights.items():
        agreement.edge(first, second, weight=weight)
    for tag in set().union(*chunks):
        agreement.word(tag, sum(tag in tags for tags in chunks))
    assert agreement.weights_agree
    assert agreement.words_agree
    agreement.edge("a", "g", weight=wrong)
    agreement.word("a", wrong)
    assert agreement.weights_agree == agreement.words_agree == (wrong == 0)


def test_a_file_takes_its_place_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("old")
    with pytest.raises(RuntimeError), whole_file(path) as file:  # noqa: PT012
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o077 == 0, "a memory is private"


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no file"), whole_file("/dev/null"):
        pass
    with pytest.raises(InputError, match="cannot use"), whole_file(tmp_path / "nowhere" / "m.jsonl"):
        pass


def test_a_link_stays_a_link_to_what_is_written(tmp_path: Path) -> None:
    link, real = tmp_path / "link", tmp_path / "real"
    link.symlink_to(real)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_the_same_content_gives_the_same_archive(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with whole_file(tmp_path / name) as file:
            file.write(b"content" * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    with gzip.open(tmp_path / "a.gz") as unpacked:
        assert list(lines(unpacked, "a.gz")) == [b"content" * 100]  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, float("nan")], object(), {"a": 1}])
def test_p27_a_value_that_json_cannot_carry_stops_the_export(value: object) -> None:
    with pytest.raises(InputError, match="cannot be exported"):
        pack({"strange": value})


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00.123456789+05:30", True),
        ("2026-01-01T00:00+01:00", True),
        ("2026-01-01T00:00:00", False),
        ("2026-13-01T00:00:00Z", False),
        ("2026-01-01", False),
        ("now", False),
        (7, False),
    ],
)
def test_p34_times_have_an_offset(text: object, good: bool) -> None:
    assert is_moment(text) == good
