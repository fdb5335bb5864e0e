"""Faults around a commit, servers that go away, and a short selection of random schedules."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from neo4j import exceptions

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import OutcomeUnknown
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.settings import read_settings
from tests.faults.plans import text_of
from tests.faults.proxy import Break, Proxy
from tests.faults.schedules import Runner
from tests.graph.drafts import draft, facts, stored_weights
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.graph.client import Transaction
    from bamboo_neo4j.graph.server import RunningServer

TEXT = "Ada Kern lives in Port Linnet."


@pytest.mark.parametrize("how", ["before", "after"])
def test_p15_a_commit_that_breaks_is_counted_once(
    server: RunningServer, driver: Driver, memory_name: str, how: Break
) -> None:
    with Proxy(server.uri) as proxy, Memory.open(memory_name, uri=proxy.uri, auth=("", "")) as memory:
        memory.remember("Leo Brandt came.", id="first")
        for name in ("one", "two", "three"):
            proxy.break_next(how)
            memory.remember(f"Ada Kern lives in Port Linnet, number {name}.", id="a")
        assert proxy.broken == [how] * 3
        assert memory.check() == []
        assert set(stored_weights(driver, memory_name).values()) == {1}
        memory.forget_all()


def test_p15_an_unknown_outcome_is_said_and_running_again_is_safe(
    server: RunningServer, driver: Driver, memory_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAMBOO_RETRY_SECONDS", "2")
    with Proxy(server.uri) as proxy, Memory.open(memory_name, uri=proxy.uri, auth=("", "")) as memory:
        memory.remember("Leo Brandt came.", id="first")
        proxy.break_next("after")
        proxy.refusing = True
        with pytest.raises(OutcomeUnknown, match="again"):
            memory.remember(TEXT, id="a")
        proxy.refusing = False
        memory.remember(TEXT, id="a")
        assert memory.check() == []
        assert set(stored_weights(driver, memory_name).values()) == {1}
        memory.forget_all()


def test_p15_a_transient_error_after_the_writes_counts_nothing_twice(
    driver: Driver, memory_name: str
) -> None:
    class Shaky(GraphClient):
        failures = 1

        def write(self, work, *, timeout=120.0):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            def shaken(transaction: Transaction) -> object:
                result = work(transaction)
                if self.failures:
                    self.failures -= 1
                    code = "Neo.TransientError.Transaction.DeadlockDetected"
                    raise exceptions.Neo4jError._hydrate_neo4j(code=code, message="made up")  # noqa: SLF001
                return result

            return super().write(shaken, timeout=timeout)

    client = Shaky(driver, owns=False)
    schema.prepare(client)
    schema.open_memory(client, memory_name, language="en", normaliser="test")
    writer = Writer(client, memory=memory_name, normaliser="test")
    client.failures = 1
    writer.write([draft(memory_name, "a", [["x", "y"]])])
    assert stored_weights(driver, memory_name) == {("x", "y"): 1}


def test_p16_a_server_that_goes_away_in_the_middle(installed: Path, tmp_path: Path) -> None:
    settings = read_settings({"home": str(tmp_path / "home"), "cache": str(installed)}, environ={})
    local = LocalServer(settings)
    running = local.start(auth=False, http=False, fast=True, attached=True)
    folder = write_files(tmp_path / "many", count=40, seed=3)
    try:
        # back in time: the ingest waits and finishes by itself
        first = _ingest(running.uri, "back", folder, patience=120)
        _wait_for_chunks(running.uri, "back")
        os.kill(running.pid, signal.SIGKILL)
        local.wait()
        running = local.start(auth=False, http=False, fast=True, attached=True)
        _, errors = first.communicate(timeout=240)
        assert first.returncode == 0, errors
        # not back in time: exit code 4 and a word on what is done; then the same command goes on
        second = _ingest(running.uri, "late", folder, patience=1)
        _wait_for_chunks(running.uri, "late")
        os.kill(running.pid, signal.SIGKILL)
        local.wait()
        out, errors = second.communicate(timeout=120)
        assert second.returncode == 4
        assert "Traceback" not in errors
        said = json.loads(out)
        assert said["added"] + len(said["unfinished"]) == 40
        running = local.start(auth=False, http=False, fast=True, attached=True)
        with Memory.open("late", uri=running.uri, auth=("", "")) as memory:
            stored = {row["uri"] for row in memory.documents() if not row["unfinished"]}
        listed = set(said["unfinished"])
        assert stored | listed == {path.as_uri() for path in folder.iterdir()}
        assert len(stored & listed) <= 1, "one whose commit nobody heard of may be whole"
        third = _ingest(running.uri, "late", folder, patience=60)
        _, errors = third.communicate(timeout=240)
        assert third.returncode == 0, errors
        from neo4j import GraphDatabase

        with GraphDatabase.driver(running.uri) as driver:
            found = {name: _plain(facts(driver, name)) for name in ("back", "late")}
        assert found["back"] == found["late"]
        for name in ("back", "late"):
            with Memory.open(name, uri=running.uri, auth=("", "")) as memory:
                assert memory.check() == []
    finally:
        local.stop()


def test_a_read_survives_cut_connections(server: RunningServer, memory_name: str) -> None:
    with Proxy(server.uri) as proxy, Memory.open(memory_name, uri=proxy.uri, auth=("", "")) as memory:
        memory.remember(TEXT, id="a")
        proxy.cut()
        assert memory.recall("Ada Kern").chunks[0].document == "a"
        memory.forget_all()


def test_a_few_random_schedules_end_in_the_graph_of_a_calm_run(server: RunningServer) -> None:
    runner = Runner(server.uri, server=None, seed=int(os.environ.get("BAMBOO_SEED", "7")))
    wrong = [line for number in range(3) for line in runner.run(number)]
    assert wrong == []
    assert runner.counts["schedules"] == 3


def write_files(folder: Path, *, count: int, seed: int) -> Path:
    """Write files of some hundred sentences whose names overlap."""
    folder.mkdir()
    choose = random.Random(seed)
    for number in range(count):
        sentences = (text_of(choose) for _ in range(60))
        (folder / f"{number}.txt").write_text("\n\n".join(sentences), encoding="utf-8")
    return folder


def _ingest(uri: str, memory: str, file: Path, *, patience: int) -> subprocess.Popen[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))},
        "NEO4J_URI": uri,
        "BAMBOO_MEMORY": memory,
        "BAMBOO_RETRY_SECONDS": str(patience),
        "PYTHONPATH": str(CHECKOUT),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "bamboo_neo4j", "ingest", str(file), "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for_chunks(uri: str, name: str) -> None:
    deadline = time.monotonic() + 60
    with Memory.open(name, uri=uri, auth=("", "")) as memory:
        while not memory.stats()["chunks"] and time.monotonic() < deadline:
            time.sleep(0.05)


def _plain(found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Drop the ids of chunks: they are digests of the memory's name too."""
    names = ("back:", "late:")
    return sorted(
        (
            tuple("·" if isinstance(value, str) and value.startswith(names) else value for value in fact)
            for fact in found
        ),
        key=repr,
    )
