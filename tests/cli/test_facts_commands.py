"""`bamboo facts` in processes of its own: exit codes, several at once, killed half-way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.graph.server import RunningServer
    from tests.plugin import Bamboo

HEADER = "subject,predicate,object,confidence,source,validFrom,validTo\n"
COUNT = 4_000


@pytest.fixture
def memory(server: RunningServer, memory_name: str) -> Iterator[Memory]:
    with Memory.open(memory_name, uri=server.uri, auth=server.auth) as opened:
        yield opened
        assert opened.check() == []
        opened.forget_all()


def test_facts_are_loaded_listed_and_removed(memory: Memory, bamboo: Bamboo, tmp_path: Path) -> None:
    file = tmp_path / "facts.csv"
    lines = ("Port Linnet,has_toll,5%,0.9,town,2020,2023-06-30", "Port Linnet,has_toll,-5%,0.8,town,2023-07,")
    file.write_text(HEADER + "\n".join((*lines, "Port Linnet,has_toll,6%,NaN")), encoding="utf-8")
    run = bamboo("facts", "load", str(file))
    assert (run.returncode, run.stderr) == (
        1,
        f"failed: {file}, line 4: the confidence 'NaN' is no number from 0 to 1\n",
    )
    assert run.stdout.startswith("2 added, 0 updated, 0 unchanged, 1 failed")
    listed = bamboo("facts", "list", "--predicate", "has toll", "--as-of", "2024-01-01", "--json")
    (fact,) = json.loads(listed.stdout)
    wanted = {"subject": "Port Linnet", "object": "-5%", "confidence": 0.8, "strength": 0.8, "valid_to": None}
    assert fact | wanted == fact
    assert bamboo("facts", "remove", fact["id"], "--yes").returncode == 0
    assert bamboo("facts", "remove", "--all", input="n\n").returncode == 130
    assert [each.object_text for each in memory.facts()] == ["5%"]


def test_facts_from_standard_input_drive_no_terminal(memory: Memory, bamboo: Bamboo) -> None:
    row = {"subject": "\u202ePort", "predicate": "is\u001b[31m", "object": "b\u0007c", "source": "\u009b2J"}
    run = bamboo("facts", "load", "-", "--json", input=json.dumps(row))
    assert json.loads(run.stdout)["added"] == 1
    listed = bamboo("facts", "list").stdout
    assert not set(listed) & set("\u202e\u001b\u0007\u009b")
    assert len(list(memory.facts())) == 1


def test_two_processes_that_load_one_file_at_once_and_one_that_is_killed_state_each_fact_once(
    memory: Memory, server: RunningServer, tmp_path: Path
) -> None:
    file = tmp_path / "many.csv"
    lines = (f"person {n % 300},knows,friend {n},0.{n % 9},s{n % 3},20{n % 9:02},\n" for n in range(COUNT))
    file.write_text(HEADER + "".join(lines), encoding="utf-8")
    processes = [start(memory, server, file) for _ in range(2)]
    deadline = time.monotonic() + 60
    while memory.stats()["facts"] == 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    processes[0].send_signal(signal.SIGKILL)
    assert memory.check() == []
    for process in processes:
        process.communicate(timeout=60)
    assert processes[1].returncode == 0
    again = memory.load_facts(file)
    assert (again.added, again.unchanged, memory.stats()["facts"]) == (0, COUNT, COUNT)


def start(memory: Memory, server: RunningServer, file: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bamboo_neo4j", "facts", "load", str(file), "--json"],
        env={
            **os.environ,
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            "BAMBOO_MEMORY": memory.name,
            "PYTHONPATH": str(CHECKOUT),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
