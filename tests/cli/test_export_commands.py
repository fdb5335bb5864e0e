"""`bamboo export`, `bamboo import` and `bamboo memories`, as processes on a real server."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from tests.graph.planting import plant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

TEXT = "Ada Kern met Leo Brandt near Port Linnet. The Green Tower there was built by Mira Solen in 1868."


@pytest.fixture
def memory(settings: Settings, memory_name: str, driver: Driver) -> Iterator[Memory]:
    """A memory with two documents and some learning; its copies are forgotten with it."""
    with Memory.open(settings=settings) as opened:
        opened.remember(TEXT, id="a")
        opened.remember("Leo Brandt lived in Harbour Street.", id="b")
        plant(driver, memory_name)
        yield opened
    read = "MATCH (m:BambooMemory) WHERE m.name STARTS WITH $name RETURN m.name"
    for record in driver.execute_query(read, name=memory_name).records:
        with Memory.open(record.value(), driver=driver) as left:
            left.forget_all()


def renamed(content: str, name: str) -> str:
    return content.replace(f'"memory":"{name}"', '"memory":"NAME"', 1)


def one_line(text: str) -> None:
    assert text.startswith("bamboo: ")
    assert 1 <= len(text.splitlines()) <= 2
    assert "Traceback" not in text


def test_a_memory_goes_through_a_pipe_to_another_name(memory: Memory, bamboo: Bamboo) -> None:
    out = bamboo("export", "-")
    assert out.returncode == 0, out.stderr
    other = f"{memory.name}-b"
    done = bamboo("--memory", other, "import", "-", input=out.stdout)
    assert done.returncode == 0, done.stderr
    assert "imported 2 documents" in done.stderr
    again = bamboo("--memory", other, "export", "-")
    assert renamed(again.stdout, other) == renamed(out.stdout, memory.name)
    assert bamboo("--memory", other, "check").returncode == 0


def test_a_file_is_compressed_by_its_name_and_json_counts_it(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    path = tmp_path / "m é.jsonl.gz"
    out = bamboo("export", str(path), "--json")
    counts = json.loads(out.stdout)
    assert (counts["memory"], counts["documents"], counts["facts"]) == (memory.name, 2, 3)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert list(json.loads(lines[-1]).values())[1:] == list(counts.values())[1:]
    done = bamboo("--memory", f"{memory.name}-b", "import", str(path), "--json")
    assert json.loads(done.stdout)["documents"] == 2


def test_a_file_that_is_there_is_overwritten_only_when_that_was_said(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    path = tmp_path / "notes.md"
    path.write_text("dear diary")
    refused = bamboo("export", str(path), input="n\n")
    assert refused.returncode == 130
    assert path.read_text() == "dear diary"
    assert bamboo("export", str(path), "--yes").returncode == 0
    assert memory.name in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("export", "FOLDER/m.jsonl"), 7, "there is no memory"),
        (("export", "/nowhere/m.jsonl"), 7, "there is no memory"),
        (("export", "-", "--json"), 2, "--json"),
        (("import", "FOLDER/none.jsonl"), 1, "No such file"),
        (("import", "FOLDER"), 1, "is a folder"),
        (("import", "FOLDER/rubbish"), 1, "line 1: is not JSON"),
        (("import", "-"), 1, "standard input, line 1"),
        (("memories", "forget", "NAME", "--yes"), 7, "there is no memory"),
        (("memories", "forget", "../etc", "--yes"), 2, "cannot name a memory"),
        (("memories", "copy", "NAME", "NAME-b"), 7, "there is no memory"),
        (("memories", "copy", "NAME", "NAME"), 2, "itself"),
        (("memories", "copy", "NAME", "Ünüsable"), 2, "cannot name a memory"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_its_exit_code(
    bamboo: Bamboo, tmp_path: Path, memory_name: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "rubbish").write_text("\x1b[31mhello")
    given = [each.replace("FOLDER", str(tmp_path)).replace("NAME", memory_name) for each in arguments]
    run = bamboo(*given)
    assert run.returncode == code, run.stderr
    one_line(run.stderr)
    assert words in run.stderr
    assert "\x1b" not in run.stderr
    assert run.stdout == ""


def test_an_import_into_a_memory_that_holds_something_needs_merge(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    assert bamboo("export", str(path)).returncode == 0
    refused = bamboo("import", str(path))
    assert refused.returncode == 2
    one_line(refused.stderr)
    assert "--merge" in refused.stderr
    done = bamboo("import", str(path), "--merge", "--json")
    assert json.loads(done.stdout)["known"] == 2
    assert memory.check() == []


def test_memories_are_listed_copied_and_forgotten(memory: Memory, bamboo: Bamboo) -> None:
    other = f"{memory.name}-b"
    copied = bamboo("memories", "copy", memory.name, other)
    assert copied.returncode == 0, copied.stderr
    for arguments in (("memories", "--json"), ("memories", "list", "--json")):
        rows = {row["name"]: row for row in json.loads(bamboo(*arguments).stdout)}
        assert rows[other]["chunks"] == rows[memory.name]["chunks"] == 2
    assert other in bamboo("memories").stdout
    assert bamboo("memories", "copy", memory.name, other).returncode == 2, "it is not empty any more"
    kept = bamboo("memories", "forget", other, input="n\n")
    assert kept.returncode == 130
    assert other in bamboo("memories", "list").stdout
    gone = bamboo("memories", "forget", other, "--yes", "--json")
    assert json.loads(gone.stdout) == {"memory": other, "forgotten": True}
    assert other not in bamboo("memories", "list").stdout
    assert memory.check() == []
    assert memory.stats()["chunks"] == 2


def test_an_import_of_an_endless_stream_ends(memory_name: str, bamboo: Bamboo) -> None:
    run = bamboo("--memory", memory_name, "import", "-", input="{" * 100_000)
    assert run.returncode == 1
    one_line(run.stderr)


def test_export_stops_quietly_when_nobody_reads_on(memory: Memory, settings: Settings) -> None:
    arguments = ["--memory", memory.name, "--uri", settings["uri"], "export", "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "bamboo_neo4j", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout
        assert run.stderr
        assert run.stdout.read(10) == b'{"bamboo":'
        run.stdout.close()
        assert b"Traceback" not in run.stderr.read()
