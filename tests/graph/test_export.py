"""A memory goes through a file and comes out equal, on a real server, whatever happens on the way."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bamboo_neo4j import Memory
from bamboo_neo4j.connect.export.exporting import TRIES
from bamboo_neo4j.connect.export.reading import CHUNKS
from bamboo_neo4j.errors import DatabaseError, InputError, NotFound, UsageError
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.memorise.preparing import SHARE
from bamboo_neo4j.memorise.writing import Draft, Writer
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Document
from tests.graph.drafts import Content, draft
from tests.graph.learning import learn as learn_path
from tests.graph.planting import plant
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.connect.export import Imported
    from bamboo_neo4j.graph.server import RunningServer

    Opener = Callable[[str], Memory]

NAMES = (
    "Ada Kern",
    "Port Linnet",
    "Leo Brandt",
    "the Green Tower",
    "Harbour Street",
    "Mira Solen",
    "Quay Nine",
)


def texts(seed: int, count: int = 8) -> list[Document]:
    """Documents of made-up sentences whose names overlap; some hold the same paragraph more than once."""
    choose = random.Random(seed)
    pick = choose.choice
    documents = []
    for number in range(count):
        sentences = [
            f"{pick(NAMES)} met {pick(NAMES)} near {pick(NAMES)} in {1900 + number}."
            for _ in range(choose.randrange(1, 5))
        ]
        text = " ".join(sentences)
        if number % 3 == 0:
            text = "\n\n".join([" ".join([text] * 30)] * 3)
        documents.append(Document(f"d{number}", f"file:///d{number}", f"Title {number}", text, "text/plain"))
    return documents


@pytest.fixture
def opened(driver: Driver, memory_name: str) -> Iterator[Opener]:
    """Open memories whose names begin with that of the test; each is proved and forgotten at the end."""
    memories = []

    def get(name: str) -> Memory:
        memory = Memory.open(f"{memory_name}-{name}", driver=driver)
        memories.append(memory)
        return memory

    yield get
    for memory in memories:
        memory.forget_all()


def exported(memory: Memory, folder: Path) -> bytes:
    """Return an export with the memory's name replaced."""
    path = folder / f"{memory.name}.jsonl"
    memory.export(path)
    return path.read_bytes().replace(f'"memory":"{memory.name}"'.encode(), b'"memory":"NAME"', 1)


def copied(source: Memory, target: Memory, folder: Path, *, merge: bool = False) -> Imported:
    path = folder / f"{source.name}.jsonl.gz"
    source.export(path)
    return target.load(path, merge=merge)


@pytest.mark.parametrize("seed", range(4))
def test_an_import_of_an_export_is_an_equal_graph(
    opened: Opener, driver: Driver, tmp_path: Path, seed: int
) -> None:
    source, target = opened("a"), opened("b")
    source.remember(texts(seed))
    plant(driver, source.name, seed=seed)
    assert source.check() == [], "what was planted holds together"
    done = copied(source, target, tmp_path)
    assert (done.documents, done.known, done.facts, done.episodes, done.mindmaps) == (8, 0, 3, 4, 1)
    assert done.edges > 4
    assert done.coactivations == 3
    assert exported(target, tmp_path) == exported(source, tmp_path)
    assert target.check() == []
    graph = everything(driver, source.name)
    assert everything(driver, target.name) == graph


def test_what_is_to_emerge_and_a_sweep_under_way_come_through_a_file(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    source, target = opened("a"), opened("b")
    source.remember(
        ["Ada Kern met Leo Brandt. Leo Brandt knew Mira Solen.", "Quay Nine lies by Port Linnet."]
    )
    for _ in range(4):
        learn_path(source, ("ada kern", "leo brandt"), ("leo brandt", "quay nine"))
        learn_path(source, ("mira solen", "leo brandt"))
    for _ in range(5):
        learn_path(source)
    for name, limit in (("strengthen", 5000), ("decay", 1)):
        query = load(f"learn/{name}").text
        row = driver.execute_query(query, memory=source.name, limit=limit).records[0]
    assert row["remaining"]
    assert source.check() == []
    assert copied(source, target, tmp_path).coactivations == 2
    assert exported(target, tmp_path) == exported(source, tmp_path)
    for memory in (source, target):
        assert memory.maintain().grown == 2
        assert memory.check() == []
    assert exported(target, tmp_path) == exported(source, tmp_path)


def everything(driver: Driver, memory: str) -> list[str]:
    """Return the graph of a memory in words that do not depend on its ids: read by other statements."""
    read = """MATCH (n) WHERE n.memory = $m OR n:Question AND n.id STARTS WITH $m + ':'
        CALL (n) { OPTIONAL MATCH (n)-[r]->(o) RETURN collect([type(r), properties(r),
          coalesce(o.key, o.text, o.id, o.name)]) AS links }
        RETURN labels(n) AS labels, properties(n) AS properties, links"""
    found = []
    for row in driver.execute_query(read, m=memory).records:
        links = sorted(repr(shown(link, memory)) for link in directed(row["labels"], row["links"]))
        found.append(repr((row["labels"], shown(row["properties"], memory), links)))
    return sorted(found)


def directed(labels: list[str], links: list[Any]) -> list[Any]:
    """Leave out the edges of tags, whose direction goes by id: `export` is what compares them."""
    return [] if labels == ["Tag"] else links


def shown(value: Any, memory: str) -> Any:  # noqa: ANN401
    ids = ("id", "src", "dst")
    if isinstance(value, dict):
        kept = {name: shown(each, memory) for name, each in value.items() if name != "memory"}
        return {name: each for name, each in sorted(kept.items()) if name not in ids or isinstance(each, str)}
    if isinstance(value, list):
        return [shown(each, memory) for each in value]
    if isinstance(value, str):
        return re.sub(rf"{re.escape(memory)}:[0-9a-f]{{32}}", "CHUNK", value).replace(memory, "NAME")
    return value.iso_format() if hasattr(value, "iso_format") else value


def test_two_exports_of_an_unchanged_memory_are_the_same_bytes(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    memory = opened("a")
    memory.remember(texts(1))
    plant(driver, memory.name)
    for name in ("1.jsonl", "2.jsonl", "1.jsonl.gz", "2.jsonl.gz"):
        memory.export(tmp_path / name)
    plain = (tmp_path / "1.jsonl").read_bytes()
    assert plain == (tmp_path / "2.jsonl").read_bytes()
    assert (tmp_path / "1.jsonl.gz").read_bytes() == (tmp_path / "2.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "1.jsonl.gz").read_bytes()) == plain


def test_ingesting_the_same_documents_after_an_import_changes_nothing(opened: Opener, tmp_path: Path) -> None:
    source, target = opened("a"), opened("b")
    documents = texts(2)
    source.remember(documents)
    copied(source, target, tmp_path)
    done = target.remember(documents)
    assert (done.added, done.updated, done.unchanged) == (0, 0, len(documents))
    assert target.forget(*(document.id for document in documents)) > 0
    assert target.stats()["tags"] == target.stats()["edges"] == target.stats()["words"] == 0


@pytest.fixture
def writer(opened: Opener, driver: Driver) -> tuple[Memory, Writer]:
    """A memory with the word rules of English, and a writer of drafts made by hand."""
    memory = opened("hand")
    client = GraphClient(driver, owns=False)
    words = normaliser("en").fingerprint
    schema.prepare(client)
    schema.open_memory(client, memory.name, language="en", normaliser=words)
    return memory, Writer(client, memory=memory.name, normaliser=words)


def through(memory: Memory, target: Memory, folder: Path) -> None:
    """Copy a memory that was written by hand, and prove that the two are equal."""
    copied(memory, target, folder)
    assert exported(target, folder) == exported(memory, folder)
    assert target.check() == memory.check() == []


def test_tags_of_all_planes_of_unicode_keep_their_order_and_pairs(
    writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    memory, hand = writer
    keys = [
        "\uff21",
        "\U00020bb7",
        "\U0001f600",
        "\ufb01",
        "z",
        "é",
        "\ue000",
        "\ufffd",
        "ab\U0001f600",
        "ab\uff21",
    ]
    hand.write(
        [draft(memory.name, "a", [keys, keys[:4], keys[3:]]), draft(memory.name, "\U0001f600", [keys])]
    )
    hand.write([draft(memory.name, "\uff21", [[key] for key in keys])])
    through(memory, opened("b"), tmp_path)


def test_a_long_document_comes_in_several_pages_and_transactions(
    writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    memory, hand = writer
    long: Content = [["x", f"n{number % 50}"] for number in range(2 * CHUNKS + SHARE + 5)]
    hand.write([draft(memory.name, "a", [["x", "y"]]), draft(memory.name, "long", long)])
    hand.write([draft(memory.name, "z", [["x", "y"]] * 3)])
    through(memory, opened("b"), tmp_path)


def test_a_hub_and_many_tags_come_in_several_pages(
    writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    memory, hand = writer
    for part in range(4):
        chunks = [["hub", *(f"t{part}-{chunk}-{number}" for number in range(9))] for chunk in range(30)]
        hand.write([draft(memory.name, f"d{part}", chunks)])
    through(memory, opened("b"), tmp_path)


def test_a_document_that_is_not_whole_stays_so_and_can_be_finished(
    writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    memory, hand = writer
    whole = draft(memory.name, "a", [["x", "y"], ["y", "z"]])
    hand.write([Draft(whole.document, "", whole.tagger, whole.chunks, unfinished="the model was away")])
    empty = Document("empty", "", "empty", "", "text/plain")
    hand.write([Draft(empty, "", "hand", ())])
    target = opened("b")
    through(memory, target, tmp_path)
    assert [row["reason"] for row in target.documents()] == ["the model was away", None]
    target.remember(Document("a", "", "a", "Ada Kern met Leo Brandt.", "text/plain"))
    assert target.check() == []


def test_an_empty_memory_can_be_exported_and_imported(
    writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    through(writer[0], opened("b"), tmp_path)


Graphs = st.lists(
    st.lists(
        st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=5, unique=True), min_size=1, max_size=4
    ),
    min_size=1,
    max_size=5,
)


@given(graph=Graphs)
@hypothesis_settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_graph_goes_through_a_file_unchanged(
    graph: list[Content], writer: tuple[Memory, Writer], opened: Opener, tmp_path: Path
) -> None:
    memory, hand = writer
    hand.write([draft(memory.name, f"d{number}", content) for number, content in enumerate(graph)])
    target = opened("b")
    target.forget_all()
    through(memory, target, tmp_path)


def test_p34_times_keep_their_instant_down_to_nanoseconds(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    source, target = opened("a"), opened("b")
    source.remember("Ada Kern met Leo Brandt.", id="a")
    set_time = "MATCH (d:Document {memory: $m}) SET d.ingestedAt = datetime($time)"
    read_time = "MATCH (d:Document {memory: $m}) RETURN toString(d.ingestedAt)"
    for time_text in ("2026-03-29T02:30:00.000000001[America/New_York]", "2026-01-01T00:00:00+05:30"):
        driver.execute_query(set_time, m=source.name, time=time_text)
        target.forget_all()
        copied(source, target, tmp_path)
        assert exported(target, tmp_path) == exported(source, tmp_path)
        stored = driver.execute_query(read_time, m=target.name).records[0].value()
        same = "RETURN datetime($a).epochMillis = datetime($b).epochMillis AND $a ENDS WITH 'Z'"
        assert driver.execute_query(same, a=stored, b=time_text).records[0].value()


def test_merging_sums_weights_and_leaves_what_is_there(opened: Opener, tmp_path: Path) -> None:
    source, target, both = opened("a"), opened("b"), opened("both")
    first, second = texts(3, 8), texts(4, 8)
    second = [Document(f"e{n}", f"file:///e{n}", d.title, d.text, d.media_type) for n, d in enumerate(second)]
    source.remember(first)
    target.remember([*second, first[0]])
    both.remember([*second, *first])
    done = copied(source, target, tmp_path, merge=True)
    assert (done.documents, done.known) == (7, 1)
    assert without_times(exported(target, tmp_path)) == without_times(exported(both, tmp_path))
    assert target.check() == []
    again = copied(source, target, tmp_path, merge=True)
    assert (again.documents, again.known, again.chunks) == (0, 8, 0)


def without_times(content: bytes) -> bytes:
    return re.sub(rb'"(createdAt|ingestedAt)":"[^"]*"', b"", content)


def test_merging_a_document_that_has_changed_here_keeps_the_one_that_is_here(
    opened: Opener, tmp_path: Path
) -> None:
    source, target = opened("a"), opened("b")
    source.remember("Ada Kern met Leo Brandt.", id="a")
    target.remember("Ada Kern met Mira Solen.", id="a")
    before = exported(target, tmp_path)
    done = copied(source, target, tmp_path, merge=True)
    assert (done.documents, done.known) == (0, 1)
    assert exported(target, tmp_path) == before


def test_merging_takes_learning_where_there_is_none_and_keeps_how_long_ago_it_was(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    source, target = opened("a"), opened("b")
    for memory in (source, target):
        memory.remember("Ada Kern met Leo Brandt near Port Linnet.", id="a" if memory is source else "b")
    learn(driver, source.name, "ada kern", "leo brandt", strength=0.8, cycle=7)
    learn(driver, source.name, "ada kern", "port linnet", strength=0.7, cycle=7)
    learn(driver, target.name, "ada kern", "port linnet", strength=0.6, cycle=31)
    clock = "MATCH (m:BambooMemory {name: $m}) SET m.cycle = $at, m.swept = $at"
    driver.execute_query(clock, m=source.name, at=7)
    driver.execute_query(clock, m=target.name, at=31)
    done = copied(source, target, tmp_path, merge=True)
    assert done.edges == 1
    assert learned(driver, target.name, "ada kern", "leo brandt") == [2, 0.8, 31, 2 * 0.8 / 0.5]
    assert learned(driver, target.name, "ada kern", "port linnet") == [2, 0.6, 31, 2 * 0.6 / 0.5]
    state = driver.execute_query("MATCH (m:BambooMemory {name: $m}) RETURN m.cycle", m=target.name)
    assert state.records[0].value() == 31
    assert target.check() == []


def learn(driver: Driver, memory: str, first: str, second: str, *, strength: float, cycle: int) -> None:
    query = """MATCH (:Tag {memory: $m, name: $a})-[e:CO_OCCURS]-(:Tag {name: $b})
        SET e.strength = $s, e.usedStrength = $s, e.usedCycle = $c, e.activations = 1
        SET e.rank = e.weight * e.strength / 0.5"""
    driver.execute_query(query, m=memory, a=first, b=second, s=strength, c=cycle)


def learned(driver: Driver, memory: str, first: str, second: str) -> list[Any]:
    query = """MATCH (:Tag {memory: $m, name: $a})-[e:CO_OCCURS]-(:Tag {name: $b})
        RETURN e.weight, e.strength, e.usedCycle, e.rank"""
    return driver.execute_query(query, m=memory, a=first, b=second).records[0].values()


def test_a_memory_that_holds_something_is_left_alone_without_merge(opened: Opener, tmp_path: Path) -> None:
    source, target = opened("a"), opened("b")
    source.remember(texts(5))
    target.remember("Ada Kern met Leo Brandt.", id="a")
    before = exported(target, tmp_path)
    with pytest.raises(UsageError, match="is not empty"):
        copied(source, target, tmp_path)
    assert exported(target, tmp_path) == before


def test_a_memory_of_another_language_is_not_merged_into(opened: Opener, tmp_path: Path) -> None:
    source, target = opened("a"), opened("b")
    source.remember("Ada Kern met Leo Brandt.", language="en")
    target.remember("Ada Kern traf Leo Brandt.", language="de")
    before = exported(target, tmp_path)
    with pytest.raises(UsageError, match="is kept in 'de'"):
        copied(source, target, tmp_path, merge=True)
    assert exported(target, tmp_path) == before


def test_the_language_comes_with_the_file_into_a_memory_that_has_been_emptied(
    opened: Opener, tmp_path: Path
) -> None:
    source, target = opened("a"), opened("b")
    source.remember("Ada Kern traf Leo Brandt.", id="a", language="de")
    target.remember("Ada Kern met Leo Brandt.", id="a", language="en")
    target.forget("a")
    copied(source, target, tmp_path)
    assert target.language == "de"
    assert exported(target, tmp_path) == exported(source, tmp_path)


@pytest.mark.parametrize(("field", "value"), [("normaliser", "0123456789ab"), ("language", "de")])
def test_a_file_of_other_word_rules_is_refused_with_the_way_out(
    opened: Opener, tmp_path: Path, field: str, value: str
) -> None:
    source, target = opened("a"), opened("b")
    source.remember("Ada Kern met Leo Brandt.")
    source.export(tmp_path / "a.jsonl")
    head, rest = (tmp_path / "a.jsonl").read_bytes().split(b"\n", 1)
    changed = json.dumps({**json.loads(head), field: value}).encode()
    (tmp_path / "a.jsonl").write_bytes(changed + b"\n" + rest)
    with pytest.raises(InputError, match="other word rules"):
        target.load(tmp_path / "a.jsonl")
    with pytest.raises(NotFound):
        target.export(tmp_path / "b.jsonl")


@pytest.mark.parametrize("seed", range(6))
def test_a_broken_file_changes_nothing(opened: Opener, driver: Driver, tmp_path: Path, seed: int) -> None:
    source, target = opened("a"), opened("b")
    source.remember(texts(6))
    plant(driver, source.name)
    target.remember("Ada Kern met Leo Brandt.", id="z")
    before, writes = exported(target, tmp_path), target.stats()["writes"]
    source.export(tmp_path / "a.jsonl")
    content = (tmp_path / "a.jsonl").read_bytes()
    cut = random.Random(seed).randrange(len(content) - 1)
    for broken in (content[:cut], content[:cut] + b"}" + content[cut:]):
        (tmp_path / "a.jsonl").write_bytes(broken)
        with pytest.raises(InputError):
            target.load(tmp_path / "a.jsonl", merge=True)
    assert exported(target, tmp_path) == before
    assert target.stats()["writes"] == writes


def test_an_export_taken_while_others_write_is_one_moment_or_none(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    memory, target = opened("a"), opened("b")
    memory.remember(texts(7))
    stop = threading.Event()

    def write(pause: float) -> None:
        with Memory.open(memory.name, driver=driver) as own:
            number = 0
            while not stop.is_set():
                number += 1
                own.remember(texts(number, 3)[number % 3])
                stop.wait(pause)

    for pause, count in ((0.0, 2), (0.5, 1)):
        stop.clear()
        threads = [threading.Thread(target=write, args=(pause,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(3):
                try:
                    memory.export(tmp_path / "moment.jsonl")
                except DatabaseError as error:
                    assert f"{TRIES} times" in error.message  # noqa: PT017 - both outcomes are right
                else:
                    target.forget_all()
                    target.load(tmp_path / "moment.jsonl")
                    assert target.check() == []
                    assert exported(target, tmp_path) == renamed(tmp_path / "moment.jsonl", memory.name)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert not list(tmp_path.glob(".*.part"))


def renamed(path: Path, memory: str) -> bytes:
    return path.read_bytes().replace(f'"memory":"{memory}"'.encode(), b'"memory":"NAME"', 1)


def test_p27_a_planted_nan_stops_the_export_and_leaves_no_file(
    opened: Opener, driver: Driver, tmp_path: Path
) -> None:
    memory = opened("a")
    memory.remember("Ada Kern met Leo Brandt near Port Linnet.")
    plant_nan = """MATCH (:Tag {memory: $m})-[e:CO_OCCURS]->() WITH e LIMIT 1
        SET e.strength = toFloat('NaN') RETURN 1"""
    driver.execute_query(plant_nan, m=memory.name)
    with pytest.raises(InputError, match="cannot be exported"):
        memory.export(tmp_path / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_memory_that_is_not_there_is_not_found(opened: Opener, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no memory"):
        opened("a").export(tmp_path / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


LOAD = """
import sys
from bamboo_neo4j import Memory
print("ready", flush=True)
with Memory.open(sys.argv[1], uri=sys.argv[2], auth=(sys.argv[3], sys.argv[4])) as memory:
    memory.load(sys.argv[5], merge=sys.argv[6] == "merge")
"""


def under_way(driver: Driver, memory: str) -> bool:
    """Tell whether an import into `memory` has begun to write and has not ended."""
    query = "MATCH (m:BambooMemory {name: $memory}) RETURN m.importing IS NOT NULL AS under_way"
    records = driver.execute_query(query, memory=memory).records
    return bool(records and records[0]["under_way"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["empty", "merge"])
def test_an_import_killed_at_any_time_and_run_again_ends_right(
    opened: Opener,
    driver: Driver,
    server: RunningServer,
    tmp_path: Path,
    mode: str,
) -> None:
    source, target, plain = opened("a"), opened("b"), opened("c")
    source.remember(texts(8, 90))
    plant(driver, source.name)
    path = tmp_path / "a.jsonl"
    source.export(path)
    if mode == "merge":
        for memory in (target, plain):
            memory.remember("Ada Kern met Leo Brandt.", id="z")
    plain.load(path, merge=mode == "merge")
    arguments = [target.name, server.uri, server.username, server.password, str(path), mode]
    unfinished = 0
    for attempt in range(12):
        if unfinished == 3:
            break
        process = subprocess.Popen(
            [sys.executable, "-c", LOAD, *arguments],
            env={"PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout
        process.stdout.readline()
        while process.poll() is None and not under_way(driver, target.name):
            time.sleep(0.01)
        time.sleep(0.1 * attempt)
        process.kill()
        process.wait()
        process.stdout.close()
        faults = [fault.invariant for fault in target.check()]
        assert set(faults) <= {"unfinished"}, "every number is right at any time"
        if faults:
            unfinished += 1
            with pytest.raises(InputError, match="unfinished"):
                target.export(tmp_path / "b.jsonl")
            with pytest.raises(UsageError, match="another file"):
                target.load(other_file(plain, tmp_path), merge=True)
    assert unfinished, "one was killed half-way"
    target.load(path, merge=True)
    assert target.check() == []
    assert without_times(exported(target, tmp_path)) == without_times(exported(plain, tmp_path))


def other_file(memory: Memory, folder: Path) -> Path:
    path = folder / "other.jsonl"
    memory.export(path)
    return path
