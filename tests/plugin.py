"""Provide the Neo4j that tests run on: BAMBOO_TEST_URI's, else a throw-away one with jars from the cache."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import pytest

from bamboo_neo4j.errors import BambooError
from bamboo_neo4j.graph.server import LocalServer, RunningServer
from bamboo_neo4j.graph.server.local import NEO4J
from bamboo_neo4j.settings import Settings, read_settings
from tests.spelling import misspelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neo4j import Driver

CHECKOUT = Path(__file__).resolve().parent.parent


class Bamboo(Protocol):
    """Run the command line in a process of its own."""

    def __call__(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002 - as subprocess.run calls it
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Run `python -m bamboo_neo4j` with `args`."""


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start, also where a shell began all this in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """Say which Neo4j the tests run on."""
    if uri := os.environ.get("BAMBOO_TEST_URI"):
        return f"neo4j: the server at {uri} (BAMBOO_TEST_URI)"
    return f"neo4j: {NEO4J}, managed, in a temporary folder"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything that uses the server."""
    for item in items:
        if {"server", "installed"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.graph)


@pytest.fixture(scope="session")
def server() -> Iterator[RunningServer]:
    """A running Neo4j for the whole session; without one, fail in CI and skip elsewhere."""
    if os.environ.get("BAMBOO_TEST_URI"):
        yield _given_server(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix="bamboo tést-", ignore_cleanup_errors=True) as home:
        local = LocalServer(read_settings({"home": home}))
        try:
            running = local.start(auth=False, http=False, fast=True, attached=True)
        except BambooError as error:
            _give_up(error)
        try:
            yield running
        finally:
            local.stop()


@pytest.fixture(scope="session")
def installed() -> Path:
    """Return the cache that holds Neo4j's jars, for tests that start servers of their own."""
    settings = read_settings()
    try:
        LocalServer(settings).install(apoc="core")
    except BambooError as error:
        _give_up(error)
    return settings.cache


def _give_up(error: BambooError) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"no Neo4j to test with: {error}", pytrace=False)
    pytest.skip(f"no Neo4j to test with: {error}")


def _given_server(environ: Mapping[str, str]) -> RunningServer:
    return RunningServer(
        uri=environ["BAMBOO_TEST_URI"],
        username=environ.get("BAMBOO_TEST_USERNAME", "neo4j"),
        password=environ.get("BAMBOO_TEST_PASSWORD", ""),
        http="",
        pid=0,
        neo4j="",
        java="",
        apoc="",
        data_dir="",
        started="",
    )


@pytest.fixture(scope="session")
def driver(server: RunningServer) -> Iterator[Driver]:
    """A driver for the session's server."""
    from neo4j import GraphDatabase

    # Notifications of the planner are advice, not failures; the tests of statements ask for them themselves.
    with GraphDatabase.driver(server.uri, auth=server.auth, notifications_min_severity="OFF") as opened:
        yield opened


@pytest.fixture
def memory_name() -> str:
    """Return the name of a memory that no other test uses."""
    return f"test-{uuid.uuid4().hex[:16]}"


@pytest.fixture
def settings(server: RunningServer, memory_name: str) -> Settings:
    """Return settings for the session's server and a fresh memory."""
    return read_settings({**_flags(server), "memory": memory_name}, environ={})


def _flags(server: RunningServer) -> dict[str, str]:
    return {"uri": server.uri, "username": server.username, "password": server.password}


@pytest.fixture
def empty_database(driver: Driver) -> Driver:
    """Wipe the session's server, its constraints and indexes too; never a server that was given."""
    if os.environ.get("BAMBOO_TEST_URI"):
        pytest.skip("it wipes the database, and the server of BAMBOO_TEST_URI is not ours")
    driver.execute_query("MATCH (n) DETACH DELETE n")
    for kind, listed in (
        ("CONSTRAINT", "SHOW CONSTRAINTS YIELD name"),
        ("INDEX", "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"),
    ):
        for record in driver.execute_query(listed).records:
            driver.execute_query(f"DROP {kind} `{record['name']}` IF EXISTS")
    return driver


@pytest.fixture
def bamboo(server: RunningServer, memory_name: str) -> Bamboo:
    """Return a callable that runs `bamboo` on the session's server and a fresh memory."""
    base = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))},
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "BAMBOO_MEMORY": memory_name,
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONIOENCODING": "utf-8",
    }

    def run(
        *args: str,
        input: str | None = None,  # noqa: A002
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "bamboo_neo4j", *args],
            input=input if input is not None else "",
            env={**base, **(env or {})},
            timeout=timeout,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if "--json" in args and "cypher" not in args:  # whose keys are parameters of Cypher
            assert not misspelled(done.stdout), f"keys of {args} as the graph spells them"
        return done

    return run


@pytest.fixture(scope="session")
def local_model() -> Iterator[str]:
    """Serve the GGUF file that BAMBOO_LOCAL_MODEL names; return the base URL. The model is called local."""
    path = os.environ.get("BAMBOO_LOCAL_MODEL", "")
    if not path:
        pytest.skip("BAMBOO_LOCAL_MODEL names no GGUF file")
    if not Path(path).is_file():
        pytest.skip(f"BAMBOO_LOCAL_MODEL: there is no file {path!r}")
    server = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    options = server.CommonParams()
    options.model.path = path
    options.hostnames, options.port, options.ui = ["127.0.0.1"], 0, False
    options.model_alias, options.n_ctx, options.n_parallel = {"local"}, 8192, 1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 2
    options.cache_ram_mib = 256
    running = server.Server(options)
    yield running.listening_address + "/v1"
    del running
