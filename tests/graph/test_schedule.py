"""Maintenance inside Neo4j, on a server of its own with APOC: the same graph, whatever happens to jobs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from neo4j import GraphDatabase

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import BambooError, DatabaseError, NotFound, ServerError
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.graph.statements import load, names
from bamboo_neo4j.settings import read_settings
from tests.graph.learning import learn, learned
from tests.graph.recalling import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neo4j import Driver

    from bamboo_neo4j.learn.jobs import Job
    from tests.graph.drafts import Content

CHECKOUT = Path(__file__).resolve().parents[2]
CONTENT: dict[str, Content] = {"a": [["cue", "tin", "zinc"], ["cue", "lead"], ["iron", "gold"]]}
PATHS = [
    (("cue", "tin"),),
    (("tin", "zinc"), ("tin", "iron")),
    (("cue", "lead"), ("tin", "iron")),
    (("tin", "iron"),),
]
PATIENCE = 120.0


class Served:
    """The managed server with APOC Extended, which has Core in it; it can be killed and started again."""

    def __init__(self, local: LocalServer) -> None:
        self.local = local
        self.port = 0
        self.start()
        self.driver = GraphDatabase.driver(self.uri, notifications_min_severity="OFF")

    def start(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                running = self.local.start(
                    apoc="extended", auth=False, http=False, fast=True, bolt_port=self.port
                )
                break
            except ServerError:  # the killed one may hold the port for a moment
                if time.monotonic() > deadline:
                    raise
                time.sleep(1)
        self.uri, self.pid = running.uri, running.pid  # its port stays the same, and so does the driver
        self.port = int(self.uri.rpartition(":")[2])

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.local.wait()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory(prefix="bamboo-apoc-", ignore_cleanup_errors=True) as home:
        local = LocalServer(read_settings({"home": home}))
        try:
            local.install(apoc="extended")
        except BambooError as error:
            if os.environ.get("CI"):
                pytest.fail(f"no APOC to test with: {error}", pytrace=False)
            pytest.skip(f"no APOC to test with: {error}")
        try:
            server = Served(local)
            yield server
            server.driver.close()
        finally:
            local.stop()


@pytest.fixture
def memory(served: Served) -> Iterator[Memory]:
    """A memory with a chunk of learning in it: four episodes that wait."""
    with written(served.driver, CONTENT) as name, Memory.open(name, driver=served.driver) as opened:
        for path in PATHS:
            learn(opened, *path)
        yield opened
        if opened.scheduled():
            opened.unschedule()


def graph(driver: Driver, memory: str) -> dict[Any, Any]:
    """Return all that maintenance writes: what is learned, strengths, ranks and the clock."""
    query = """MATCH (a:Tag {memory: $memory})-[r:CO_OCCURS|FACT]->(b:Tag)
        RETURN a.name AS a, b.name AS b, [r.strength, r.rank] AS state"""
    shown = {tuple(sorted([row["a"], row["b"]])): row["state"] for row in rows(driver, query, memory=memory)}
    query = """MATCH (m:BambooMemory {name: $memory}) OPTIONAL MATCH (e:Episode {memory: $memory})
        WITH m, e ORDER BY e.createdAt
        RETURN m.cycle AS cycle, m.swept AS swept, m.sweeping AS sweeping,
            collect([e.status, e.cycle]) AS episodes"""
    return {
        "learned": learned(driver, memory),
        "shown": shown,
        "clock": rows(driver, query, memory=memory)[0],
    }


def rows(driver: Driver, query: str, **parameters: object) -> list[dict[str, Any]]:
    return [record.data() for record in driver.execute_query(query, parameters).records]


@pytest.fixture(scope="module")
def wanted(served: Served) -> dict[Any, Any]:
    """The graph that `bamboo maintain` makes of the same content and episodes."""
    with written(served.driver, CONTENT) as name, Memory.open(name, driver=served.driver) as opened:
        for path in PATHS:
            learn(opened, *path)
        opened.maintain()
        return graph(served.driver, name)


def eventually(found: Callable[[], Any], wanted: Any) -> None:  # noqa: ANN401
    """Wait until `found` gives what is wanted; jobs work at their own time."""
    deadline = time.monotonic() + PATIENCE
    while found() != wanted and time.monotonic() < deadline:
        time.sleep(0.1)
    assert found() == wanted


def states(jobs: tuple[Job, ...]) -> dict[str, str]:
    return {job.procedure: job.state for job in jobs}


ALL_RUNNING = dict.fromkeys(["decay", "emerge", "prune", "strengthen"], "running")


@pytest.mark.parametrize("name", [name for name in names() if "Needs: APOC" in load(name).about])
def test_a_statement_that_needs_apoc_plans_where_it_is(served: Served, name: str) -> None:
    statement = load(name)
    samples = ", ".join(f"{value} AS `{parameter}`" for parameter, value in statement.parameters)
    sampled = rows(served.driver, f"RETURN {samples}")[0] if samples else {}
    database = "system" if name.endswith("_procedure") else "neo4j"
    with served.driver.session(database=database) as session:
        assert session.run(f"EXPLAIN {statement.text}", sampled).consume().plan


def test_jobs_inside_neo4j_make_the_graph_that_maintain_makes(
    served: Served, memory: Memory, wanted: dict[Any, Any]
) -> None:
    assert states(memory.schedule(seconds=1)) == ALL_RUNNING
    eventually(lambda: graph(served.driver, memory.name), wanted)
    assert memory.check() == []
    # nothing is left to do: nothing is written any more
    query = "MATCH (m:BambooMemory {name: $name}) RETURN m.writes AS writes"
    eventually(lambda: idle(served, memory), 4)
    writes = rows(served.driver, query, name=memory.name)
    time.sleep(2.5)
    assert rows(served.driver, query, name=memory.name) == writes
    assert graph(served.driver, memory.name) == wanted
    assert all(job.failures == 0 and job.ran_at for job in memory.scheduled())


def idle(served: Served, memory: Memory) -> int:
    query = """MATCH (m:BambooMemory {name: $name}) MATCH (job:BambooJob {memory: $name})
        RETURN count(CASE WHEN job.idleSince = m.writes THEN 1 END) AS idle"""
    return int(rows(served.driver, query, name=memory.name)[0]["idle"])


def test_running_often_by_hand_beside_the_jobs_changes_nothing(
    served: Served, memory: Memory, wanted: dict[Any, Any]
) -> None:
    memory.schedule(seconds=1)
    for _ in range(6):
        memory.maintain()
    eventually(lambda: graph(served.driver, memory.name), wanted)


def test_jobs_go_on_after_the_server_was_killed_at_work(
    served: Served, memory: Memory, wanted: dict[Any, Any]
) -> None:
    name = memory.name
    memory.schedule(seconds=1)
    served.kill()
    served.start()
    eventually(lambda: graph(served.driver, name), wanted)
    eventually(lambda: states(memory.scheduled()), ALL_RUNNING)
    assert memory.check() == []
    eventually(lambda: called(served, "decay", name), 0)  # registered procedures are there again too


def called(served: Served, procedure: str, memory: str) -> int | None:
    """Call a registered procedure by hand; None while the server does not know it yet."""
    try:
        found = rows(
            served.driver,
            f"CALL custom.bamboo.{procedure}($name) YIELD remaining RETURN remaining",
            name=memory,
        )
    except Exception:  # noqa: BLE001 - whatever the server calls it
        return None
    return int(found[0]["remaining"])


def test_an_error_is_shown_and_kills_no_job(served: Served, memory: Memory) -> None:
    memory.schedule(seconds=1)
    eventually(lambda: graph(served.driver, memory.name)["clock"]["swept"], len(PATHS))
    spoil = "MATCH (job:BambooJob {id: $id}) SET job += $spoilt"
    job = f"bamboo/{memory.name}/strengthen"
    rows(served.driver, spoil, id=job, spoilt={"limit": "many"})
    waiting = learn(memory, ("cue", "tin"))
    eventually(lambda: named(memory, "strengthen").failures > 1, wanted=True)
    failing = named(memory, "strengthen")
    assert failing.state == "failing"
    assert failing.error
    rows(served.driver, spoil, id=job, spoilt={"statement": "MATCH (", "failures": 0})
    eventually(lambda: named(memory, "strengthen").failures > 1, wanted=True)
    assert named(memory, "strengthen").state == "outdated"
    memory.schedule(seconds=1)
    eventually(lambda: memory.episode(waiting).status, "learned")
    eventually(lambda: states(memory.scheduled()), ALL_RUNNING)


def named(memory: Memory, procedure: str) -> Job:
    return next(job for job in memory.scheduled() if job.procedure == procedure)


def test_a_dead_job_is_called_dead_and_installing_brings_it_back(served: Served, memory: Memory) -> None:
    memory.schedule(seconds=60)
    rows(served.driver, "CALL apoc.periodic.cancel($job)", job=f"bamboo/{memory.name}/decay")
    assert states(memory.scheduled()) == ALL_RUNNING | {"decay": "dead"}
    assert states(memory.schedule(seconds=1)) == ALL_RUNNING
    assert {job.seconds for job in memory.scheduled()} == {1}


def test_removing_ends_the_jobs_of_one_memory_alone(served: Served, memory: Memory) -> None:
    memory.schedule(seconds=60)
    with written(served.driver, CONTENT) as name, Memory.open(name, driver=served.driver) as other:
        other.schedule(seconds=60)
        assert len(other.unschedule()) == 4
        assert other.scheduled() == ()
        with pytest.raises(NotFound, match="nothing is scheduled"):
            other.unschedule()
        assert states(memory.scheduled()) == ALL_RUNNING
        assert all(job.registered for job in memory.scheduled()), "another memory still needs the procedures"
        other.schedule(seconds=60)
    strays = {job.state for job in Memory.open(name, driver=served.driver).scheduled()}
    assert strays == {"stray"}, "its memory was forgotten, and with it what is wanted"
    assert len(Memory.open(name, driver=served.driver).unschedule()) == 4
    memory.unschedule()
    jobs = "CALL apoc.periodic.list() YIELD name, cancelled WHERE NOT cancelled RETURN count(*) AS n"
    assert rows(served.driver, jobs)[0]["n"] == 0
    eventually(lambda: called(served, "decay", memory.name), None)


def test_the_command_installs_lists_and_removes(served: Served, memory: Memory) -> None:
    environment = {
        **os.environ,
        "NEO4J_URI": served.uri,
        "BAMBOO_MEMORY": memory.name,
        "PYTHONPATH": str(CHECKOUT),
    }

    def bamboo(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bamboo_neo4j", "schedule", *args]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    installed = bamboo("install", "--every", "30")
    assert (installed.returncode, installed.stdout.count("running")) == (0, 4)
    assert "apoc.initializer.neo4j.1=MATCH (job:BambooJob) CALL apoc.periodic.repeat(" in installed.stderr
    listed = json.loads(bamboo("list", "--json").stdout)
    assert [(job["procedure"], job["state"], job["seconds"]) for job in listed] == [
        (procedure, "running", 30) for procedure in ALL_RUNNING
    ]
    removed = bamboo("remove", "--json")
    assert len(json.loads(removed.stdout)["removed"]) == 4
    again = bamboo("remove")
    assert (again.returncode, again.stderr.count("\n")) == (7, 2)


def test_a_server_without_apoc_says_so_and_what_to_do(driver: Driver) -> None:
    name = f"test-{uuid.uuid4().hex[:16]}"
    if rows(driver, "SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'apoc.' RETURN count(*) AS n")[0]["n"]:
        pytest.skip("the session's server has APOC")
    with Memory.open(name, driver=driver) as opened:
        with pytest.raises(DatabaseError, match="no APOC") as caught:
            opened.schedule()
        assert "server start --apoc core" in caught.value.hint
        assert "bamboo schedule run" in caught.value.hint
        assert opened.scheduled() == ()
    assert GraphClient(driver, owns=False).read("inspect/jobs", {"memory": name}) == []
