"""`bamboo ingest` and `bamboo forget` on real files and a real server."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from tests.graph.drafts import facts
from tests.plugin import CHECKOUT
from tests.scripted import Completion, Request, ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

WORDS = (
    "Ada Kern",
    "Port Linnet",
    "Leo Brandt",
    "the Green Tower",
    "Harbour Street",
    "Mira Solen",
    "Quay Nine",
)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        yield opened
        assert opened.check() == []
        opened.forget_all()


def ingest(bamboo: Bamboo, *arguments: str | Path, code: int = 0, **options: Any) -> dict[str, Any]:  # noqa: ANN401
    run = bamboo("ingest", *map(str, arguments), "--json", **options)
    assert run.returncode == code, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def write_passages(path: Path, *, count: int, seed: int) -> Path:
    """Write passages of made-up sentences whose names overlap."""
    choose = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            names = choose.sample(WORDS, 3)
            text = f"{names[0]} met {names[1]} near {names[2]} in {1900 + choose.randrange(90)}."
            file.write(json.dumps({"id": f"{path.stem}-{number}", "title": "", "text": text}) + "\n")
    return path


def fingerprint(driver: Driver, memory: str) -> list[tuple[Any, ...]]:
    """Return everything of a memory but the document's URIs and ids given out."""
    return facts(driver, memory)


def test_p11_ingesting_again_touching_or_copying_with_other_line_ends_changes_nothing(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    file = tmp_path / "note.md"
    file.write_bytes(b"# Note\n\nAda Kern lives in Port Linnet.\n")
    assert ingest(bamboo, file)["added"] == 1
    before = fingerprint(driver, memory.name)
    for change in (
        lambda: None,
        file.touch,
        lambda: file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n")),
    ):
        change()
        assert ingest(bamboo, file)["unchanged"] == 1
        assert fingerprint(driver, memory.name) == before


def test_p11_no_model_is_called_for_a_known_chunk(memory: Memory, bamboo: Bamboo, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Ada Kern lives in Port Linnet.", encoding="utf-8")
    with ScriptedServer([json.dumps({"tags": ["Ada Kern", "Port Linnet"]})] * 9) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
        first = ingest(bamboo, file, "--tagger", "llm", env=env)
        calls = len(model.requests)
        again = ingest(bamboo, file, "--tagger", "llm", env=env)
    assert (first["added"], first["calls"], calls) == (1, 1, 1)
    assert (again["unchanged"], again["calls"], len(model.requests)) == (1, 0, 1)
    assert memory.check() == []


def test_p12_one_file_is_one_document_however_its_path_is_spelled(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("Ada Kern lives in Port Linnet.", encoding="utf-8")
    (tmp_path / "link").symlink_to(docs)
    ingest(bamboo, docs)
    before = fingerprint(driver, memory.name)
    spellings = (
        f"{docs}/",
        f"{tmp_path}/./docs",
        f"{docs}/../docs/a.txt",
        str(tmp_path / "link"),
        os.path.relpath(docs),
    )
    for spelling in (*spellings, str(tmp_path)):
        assert ingest(bamboo, spelling)["unchanged"] == 1
    assert fingerprint(driver, memory.name) == before
    run = bamboo("forget", str(tmp_path / "link" / "a.txt"), "--yes")
    assert run.returncode == 0, run.stderr
    assert list(memory.documents()) == []


def test_p04_p07_one_bad_file_never_stops_the_rest(memory: Memory, bamboo: Bamboo, tmp_path: Path) -> None:
    (tmp_path / "bom.md").write_bytes("\ufeff# Größe – café".encode())
    (tmp_path / "utf16.md").write_bytes("# Größe – café".encode("utf-16"))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b" \n\t")
    (tmp_path / "zwsp.txt").write_bytes("\u200b".encode())
    (tmp_path / "image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8)
    (tmp_path / "good.txt").write_text("Ada Kern lives in Port Linnet.", encoding="utf-8")
    result = ingest(bamboo, tmp_path, code=1, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert result["added"] == 3
    assert len(result["skipped"]) == 3
    assert [failure["source"].rpartition("/")[2] for failure in result["failed"]] == ["image.txt"]
    names = {row["name"] for row in memory.tags()}
    assert {"grosse", "cafe", "ada kern"} & names
    assert not any("\ufeff" in row["display"] for row in memory.tags())
    assert len(list(memory.documents())) == 3


def test_p05_nul_bytes_are_not_stored_and_glue_no_words(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    (tmp_path / "nul.txt").write_bytes(b"alpha\0beta gamma delta, plain text of some length follows here.")
    result = ingest(bamboo, tmp_path)
    assert len(result["warnings"]) == 1
    text = driver.execute_query("MATCH (c:Chunk {memory: $m}) RETURN c.text AS text", m=memory.name).records[
        0
    ]["text"]
    assert "\0" not in text
    assert "alphabeta" not in text


def test_p06_a_long_unbroken_run_ends_quickly_and_is_no_tag(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    (tmp_path / "run.txt").write_text("Top " + "q" * 20_000 + " End", encoding="utf-8")
    ingest(bamboo, tmp_path, "--chunk-tokens", "50:500", timeout=60)
    assert all(len(row["name"]) < 100 for row in memory.tags())
    run = bamboo("ingest", str(tmp_path), "--chunk-tokens", "600:500")
    assert run.returncode == 2
    assert len(run.stderr.strip().splitlines()) <= 2


def test_p09_nested_values_lists_nulls_and_huge_integers_are_memorised(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    odd = '{"title":"x","meta":{"a":{"b":1}},"mix":[1,"two",null],"big":9223372036854775808,"empty":{}}'
    (tmp_path / "odd.json").write_text(odd, encoding="utf-8")
    assert ingest(bamboo, tmp_path)["added"] == 1
    assert memory.stats()["documents"] == 1


def test_p02_tags_of_every_script_are_kept_whole_and_recalled(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    text = "桌子 椅子 하늘 Жук مدرسة ❤️ 👩‍💻 words"
    (tmp_path / "many.txt").write_text(text, encoding="utf-8")
    reply = json.dumps(
        {"tags": ["桌子", "椅子", "하늘", "Жук", "مدرسة", "❤️", "❤", "👩‍💻"]}, ensure_ascii=False
    )
    with ScriptedServer([reply]) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
        ingest(bamboo, tmp_path, "--tagger", "llm", env=env)
    names = [row["name"] for row in memory.tags()]
    assert all(names)
    assert len([name for name in names if "❤" in name]) == 1
    for cue in ("桌子", "하늘", "жук", "مَدْرَسَة", "❤", "👩‍💻"):
        assert memory.recall(cue).chunks, cue


def test_p10_spellings_of_one_tag_make_one_edge_of_weight_one(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    (tmp_path / "gpu.txt").write_text("a GPU runs CUDA, and the gpu is fast with cuda", encoding="utf-8")
    with ScriptedServer([json.dumps({"tags": ["GPU", "gpu", "GPU ", "CUDA", "cuda"]})]) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
        ingest(bamboo, tmp_path, "--tagger", "llm", env=env)
    query = """MATCH (a:Tag {memory: $m, key: 'gpu'})-[r:CO_OCCURS]-(b:Tag {key: 'cuda'})
        RETURN collect(r.weight) AS weights"""
    assert driver.execute_query(query, m=memory.name).records[0]["weights"] == [1]
    loops = driver.execute_query("MATCH (a:Tag {memory: $m})-[r]->(a) RETURN r", m=memory.name).records
    assert loops == []


def test_p20_a_refusal_is_a_failure_that_stats_names_and_an_empty_list_is_not(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    refusal = Completion(None, "content_filter")
    (tmp_path / "refused.txt").write_text("Some text that is refused.", encoding="utf-8")
    env = {"OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
    with ScriptedServer([refusal] * 9) as model:
        result = ingest(bamboo, tmp_path, "--tagger", "llm", code=1, env=env | {"OPENAI_BASE_URL": model.url})
    assert (result["added"], len(result["failed"])) == (0, 1)
    unfinished = next(memory.documents())
    assert unfinished["unfinished"]
    assert "refused.txt" in unfinished["uri"]
    assert unfinished["reason"] == result["failed"][0]["reason"]
    with ScriptedServer([json.dumps({"tags": []})] * 9) as model:
        result = ingest(bamboo, tmp_path, "--tagger", "llm", env=env | {"OPENAI_BASE_URL": model.url})
    assert (result["updated"], len(result["failed"])) == (1, 0)
    assert memory.stats()["unfinished"] == []


def test_a_chunk_that_failed_is_the_only_one_asked_for_again(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    parts = [
        f"Paragraph {name}. " + "It goes on for a while with plain words. " * 30
        for name in ("one", "two", "three")
    ]
    (tmp_path / "long.txt").write_text("\n\n".join(parts), encoding="utf-8")
    good = json.dumps({"tags": ["plain words"]})
    env = {"OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}

    def reply(request: Request) -> Any:  # noqa: ANN401 - any step of the script
        return Completion(None, "content_filter") if "Paragraph two" in request.prompt else good

    options = ("--tagger", "llm", "--chunk-tokens", "100:300")
    with ScriptedServer([reply] * 40) as model:
        first = ingest(bamboo, tmp_path, *options, code=1, env=env | {"OPENAI_BASE_URL": model.url})
    unfinished = memory.stats()["unfinished"]
    assert len(first["failed"]) == 1
    assert isinstance(unfinished, list)
    assert len(unfinished) == 1
    with ScriptedServer([good] * 40) as model:
        second = ingest(bamboo, tmp_path, *options, env=env | {"OPENAI_BASE_URL": model.url})
        assert second["calls"] == len(model.requests)
    assert 0 < second["calls"] < first["calls"]
    assert memory.stats()["unfinished"] == []


def test_p24_signs_in_tags_are_plain_text_and_recalled_by_their_name(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    odd = [
        "a`b",
        "O'Brien",
        '"q"',
        "{x:1}",
        "$p",
        "x]-() DETACH DELETE n //",
        "C++",
        "half-open",
        "A...B",
        "back\\slash",
    ]
    (tmp_path / "x]-() DETACH DELETE n.txt").write_text("  ;  ".join(odd), encoding="utf-8")
    labels = driver.execute_query("CALL db.labels() YIELD label RETURN collect(label) AS l").records[0]["l"]
    with ScriptedServer([json.dumps({"tags": odd})]) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
        ingest(bamboo, tmp_path, "--tagger", "llm", env=env)
    for name in odd:
        assert memory.neighbours(name), name
    after = driver.execute_query("CALL db.labels() YIELD label RETURN collect(label) AS l").records[0]["l"]
    assert set(after) == set(labels)


def test_p26_too_long_a_tag_is_left_out_and_the_others_are_stored(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    long = ["x" * 8_165, "漢" * 2_722]
    names = [f"Name Number{number}" for number in range(10)]
    (tmp_path / "names.txt").write_text(" ; ".join(names), encoding="utf-8")

    def reply(request: Request) -> str:
        return json.dumps({"tags": [*long, *(name for name in names if name in request.prompt)]})

    with ScriptedServer([reply] * 30) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
        result = ingest(bamboo, tmp_path / "names.txt", "--tagger", "llm", "--tags", "40", env=env)
    assert any("characters" in warning["reason"] for warning in result["warnings"])
    stored = {row["display"] for row in memory.tags("name")}
    assert set(names) <= stored


def test_p08_tables_and_cells_are_read_and_scripts_are_not(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(
        "<script>window.lambdaX=1</script><style>.mu{}</style><p>visible word</p>", encoding="utf-8"
    )
    docx = pytest.importorskip("docx").Document()
    docx.add_paragraph("plain")
    docx.add_table(rows=1, cols=1).cell(0, 0).text = "kappa"
    docx.save(str(tmp_path / "table.docx"))
    ingest(bamboo, tmp_path)
    assert memory.recall("kappa").chunks
    assert not {"window", "lambdax", "mu"} & {row["name"] for row in memory.tags()}


def test_standard_input_is_one_document_with_a_stable_id(memory: Memory, bamboo: Bamboo) -> None:
    assert ingest(bamboo, "-", input="Ada Kern lives in Port Linnet.")["added"] == 1
    assert ingest(bamboo, "-", input="Ada Kern lives in Port Linnet.")["unchanged"] == 1
    assert ingest(bamboo, "-", input="Ada Kern moved.")["updated"] == 1
    assert len(ingest(bamboo, "-", input="")["skipped"]) == 1
    assert len(list(memory.documents())) == 1


def test_a_dry_run_counts_and_writes_nothing(memory: Memory, bamboo: Bamboo, tmp_path: Path) -> None:
    write_passages(tmp_path / "p.jsonl", count=5, seed=1)
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k", "BAMBOO_MODEL": "m"}
    plan = ingest(bamboo, tmp_path, "--dry-run", "--tagger", "llm", env=env)
    assert (plan["documents"], plan["chunks"], plan["calls"]) == (5, 5, 5)
    assert plan["tokens"] > 25
    assert memory.stats()["chunks"] == 0


OWN_TAGGER = """
def tags(text):
    if "bad" in text:
        raise ValueError("no")
    return text.split()[:2]
"""


def test_a_tagger_of_ones_own_and_a_closed_vocabulary(memory: Memory, bamboo: Bamboo, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN_TAGGER, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.txt").write_text("apples pears plums", encoding="utf-8")
    (tmp_path / "docs" / "wrong.txt").write_text("bad pears", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "bamboo_neo4j", "ingest", "docs", "--tagger", "mine:tags", "--json"],
        cwd=tmp_path,
        env={**_environment(memory), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads(run.stdout)
    assert (run.returncode, result["added"], len(result["failed"])) == (1, 1, 1)
    assert {row["name"] for row in memory.tags()} >= {"apples", "pears"}
    (tmp_path / "words.txt").write_text("plums\n", encoding="utf-8")
    ingest(bamboo, tmp_path / "docs" / "good.txt", "--vocabulary", str(tmp_path / "words.txt"))
    assert {row["name"] for row in memory.tags()} == {"plums"}


def test_an_id_is_given_and_not_taken_by_another_file_without_replace(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Ada Kern wrote {name}.", encoding="utf-8")
    ingest(bamboo, tmp_path / "one.txt", "--id", "note")
    refused = ingest(bamboo, tmp_path / "two.txt", "--id", "note", code=1)
    assert "--replace" in refused["failed"][0]["reason"]
    assert ingest(bamboo, tmp_path / "two.txt", "--id", "note", "--replace")["updated"] == 1
    assert [row["id"] for row in memory.documents()] == ["note"]


def _environment(memory: Memory) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))},
        "NEO4J_URI": memory.address,
        "BAMBOO_MEMORY": memory.name,
        "PYTHONPATH": str(CHECKOUT),
    }


def _start(memory: Memory, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bamboo_neo4j", "ingest", *arguments, "--json"],
        env=_environment(memory),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_weights_are_exact_after_four_processes_ingest_overlapping_passages_at_once_twice(
    memory: Memory, bamboo: Bamboo, driver: Driver, settings: Settings, tmp_path: Path
) -> None:
    files = [write_passages(tmp_path / f"p{number}.jsonl", count=40, seed=number) for number in range(4)]
    both = [[str(files[number]), str(files[(number + 1) % 4])] for number in range(4)]
    for _ in range(2):
        running = [_start(memory, *pair) for pair in both]
        for process in running:
            _, errors = process.communicate(timeout=240)
            assert process.returncode == 0, errors
    assert memory.check() == []
    alone = f"{memory.name}-alone"
    with Memory.open(alone, settings=settings) as second:
        second.ingest(files)
        assert _without_names(facts(driver, memory.name)) == _without_names(facts(driver, alone))
        second.forget_all()
    assert bamboo("check").returncode == 0


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_ingest_goes_on_and_ends_in_the_same_graph(
    memory: Memory, bamboo: Bamboo, driver: Driver, settings: Settings, tmp_path: Path, stop: signal.Signals
) -> None:
    file = write_passages(tmp_path / "many.jsonl", count=900, seed=5)
    process = _start(memory, str(file))
    deadline = time.monotonic() + 60
    while memory.stats()["chunks"] == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(stop)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if stop is signal.SIGINT else -stop)
    assert "Traceback" not in errors
    assert memory.check() == []
    ingest(bamboo, file)
    alone = f"{memory.name}-alone"
    with Memory.open(alone, settings=settings) as second:
        second.ingest([file])
        assert _without_names(facts(driver, memory.name)) == _without_names(facts(driver, alone))
        second.forget_all()


def _without_names(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Drop what names the memory itself: chunk ids begin with it."""
    return sorted(
        (
            tuple("·" if isinstance(value, str) and value.startswith("test-") else value for value in fact)
            for fact in found
        ),
        key=repr,
    )


def test_forget_missing_takes_back_the_documents_whose_files_are_gone(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    for name in ("here", "gone"):
        (tmp_path / f"{name}.txt").write_text(f"Ada Kern wrote {name}.", encoding="utf-8")
    ingest(bamboo, tmp_path)
    ingest(bamboo, "-", input="Leo Brandt wrote nothing.")
    assert json.loads(bamboo("forget", "--missing", "--json").stdout)["documents"] == 0
    (tmp_path / "gone.txt").unlink()
    asked = bamboo("forget", "--missing", input="n\n")
    assert asked.returncode == 130
    assert len(list(memory.documents())) == 3
    assert json.loads(bamboo("forget", "--missing", "--yes", "--json").stdout)["documents"] == 1
    assert sorted(row["uri"].rpartition("/")[2] for row in memory.documents()) == ["here.txt", "stdin:"]


def test_forgetting_everything_asks_first_and_leaves_nothing(
    memory: Memory, bamboo: Bamboo, driver: Driver, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Ada Kern wrote this.", encoding="utf-8")
    ingest(bamboo, tmp_path)
    assert bamboo("forget", "--all", input="n\n").returncode == 130
    assert memory.stats()["chunks"] == 1
    assert bamboo("forget", "--all", "--yes").returncode == 0
    assert bamboo("forget", "--all", "--yes").returncode == 7
    left = driver.execute_query("MATCH (n {memory: $m}) RETURN n", m=memory.name).records
    assert left == []
