"""Connecting: routing and TLS work, each way to fail has its own line and exit code, no secret in it."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
import trustme
from neo4j import GraphDatabase

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import read_settings
from tests.faults.proxy import Proxy
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer
    from tests.plugin import Bamboo

PASSWORD = "s3cr3t/@:x-longer"


@pytest.fixture(scope="module")
def guarded(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a password full of signs, and TLS with a certificate that nobody knows."""
    home = tmp_path_factory.mktemp("guarded")
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificates = home / "certificates"
    certificates.mkdir()
    certificate.private_key_pem.write_to_path(certificates / "private.key")
    certificate.cert_chain_pems[0].write_to_path(certificates / "public.crt")
    local = LocalServer(read_settings({"home": str(home / "home"), "cache": str(installed)}, environ={}))
    running = local.start(
        fast=True,
        http=False,
        attached=True,
        config={
            "server.bolt.tls_level": "OPTIONAL",
            "dbms.ssl.policy.bolt.enabled": "true",
            "dbms.ssl.policy.bolt.base_directory": str(certificates),
            "dbms.ssl.policy.bolt.client_auth": "NONE",
        },
    )
    with GraphDatabase.driver(running.uri, auth=running.auth) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
            old=running.password,
            new=PASSWORD,
            database_="system",
        )
    yield running
    local.stop()


def run(
    uri: str, *arguments: str, password: str = PASSWORD, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))},
        "NEO4J_URI": uri,
        "NEO4J_PASSWORD": password,
        "OPENAI_API_KEY": "sk-TESTKEY",
        "BAMBOO_MEMORY": "connection",
        "PYTHONPATH": str(CHECKOUT),
        **(env or {}),
    }
    return subprocess.run(
        [sys.executable, "-m", "bamboo_neo4j", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+ssc", "neo4j+ssc"])
def test_every_scheme_reads_and_writes_with_signs_in_the_password(
    guarded: RunningServer, scheme: str
) -> None:
    address = guarded.uri.partition("://")[2]
    with Memory.open(
        f"m-{scheme.replace('+', '-')}", uri=f"{scheme}://{address}", auth=("neo4j", PASSWORD)
    ) as memory:
        assert memory.remember("Ada Kern lives in Port Linnet.", id="a").added == 1
        assert memory.recall("Ada Kern").chunks[0].document == "a"
        assert memory.check() == []
        memory.forget_all()


def test_a_read_after_a_write_sees_it_through_routing(guarded: RunningServer) -> None:
    address = guarded.uri.replace("bolt://", "neo4j://")
    with Memory.open("bookmarks", uri=address, auth=("neo4j", PASSWORD), database="neo4j") as memory:
        for number in range(5):
            memory.remember(f"Ada Kern wrote letter {number}.", id=f"{number}")
            assert memory.stats()["documents"] == number + 1
        memory.forget_all()


def test_p33_each_way_to_fail_has_its_own_line_and_no_secret(
    guarded: RunningServer, server: RunningServer
) -> None:
    address = guarded.uri.partition("://")[2]
    with GraphDatabase.driver(guarded.uri, auth=("neo4j", PASSWORD)) as driver:
        driver.execute_query(
            "CREATE USER newcomer IF NOT EXISTS SET PASSWORD $password CHANGE REQUIRED",
            password=PASSWORD,
            database_="system",
        )
    silent = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=silent.serve_forever, daemon=True).start()
    try:
        runs = {
            "wrong password": run(guarded.uri, "stats", password="wrong-one"),
            "wrong port": run("bolt://127.0.0.1:9", "stats"),
            "an HTTP port": run(f"bolt://127.0.0.1:{silent.server_port}", "stats"),
            "unknown certificate": run(f"neo4j+s://{address}", "stats"),
            "no TLS there": run(server.uri.replace("bolt://", "bolt+s://"), "stats"),
            "password to be changed": run(guarded.uri, "--username", "newcomer", "stats"),
            "unknown scheme": run("ftp://127.0.0.1:7687", "stats"),
            "unknown database": run(guarded.uri, "--database", "nowhere", "stats"),
        }
    finally:
        silent.shutdown()
        silent.server_close()
    for case, result in runs.items():
        assert (case, result.returncode, result.stdout) == (case, 4, "")
        assert len(result.stderr.strip().splitlines()) == 2, (case, result.stderr)
        assert not {PASSWORD, "wrong-one", "sk-TESTKEY"} & set(result.stderr.split())
        assert PASSWORD not in result.stderr
    messages = {case: result.stderr.splitlines()[0] for case, result in runs.items()}
    assert len(set(messages.values())) == len(runs), messages
    assert "TLS" in messages["no TLS there"]
    assert "changed" in messages["password to be changed"]
    assert "SET PASSWORD" in runs["password to be changed"].stderr


def test_p33_a_wrong_password_is_tried_once(guarded: RunningServer) -> None:
    with Proxy(guarded.uri) as proxy:
        result = run(proxy.uri, "stats", password="wrong-one")
        assert result.returncode == 4
        assert proxy.accepted == 1


def test_p38_no_secret_is_printed_even_with_trace_and_debug(guarded: RunningServer) -> None:
    for password in (PASSWORD, "wr0ng/@:x-longer"):
        result = run(guarded.uri, "--trace", "--debug", "doctor", password=password)
        assert password not in result.stdout + result.stderr
        assert "sk-TESTKEY" not in result.stdout + result.stderr
    inside = guarded.uri.replace("://", "://neo4j:s3cr3tInside@")
    result = run(inside, "doctor", env={"NEO4J_PASSWORD": PASSWORD})
    assert "s3cr3tInside" not in result.stdout + result.stderr


def test_a_newer_schema_and_a_foreign_graph_are_refused_and_left_alone(
    empty_database: Driver, bamboo: Bamboo
) -> None:
    empty_database.execute_query("CREATE (:Document {name: 'theirs'})")
    result = bamboo("ingest", "-", input="Ada Kern lives in Port Linnet.")
    assert result.returncode == 4
    assert "Document" in result.stderr
    assert empty_database.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"] == 1
    empty_database.execute_query("MATCH (n) DELETE n CREATE (:BambooSchema {id: 'bamboo', version: 99})")
    for command in (["stats"], ["recall", "Ada"]):
        result = bamboo(*command)
        assert result.returncode == 4
        assert "upgrade" in result.stderr
    empty_database.execute_query("MATCH (n) DELETE n")


def test_p14_several_processes_may_create_the_schema_at_once(empty_database: Driver) -> None:
    errors: list[Exception] = []

    def work() -> None:
        try:
            schema.prepare(GraphClient(empty_database, owns=False))
        except Exception as error:  # noqa: BLE001 - any of them fails the test
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = empty_database.execute_query(
        "MATCH (s:BambooSchema) RETURN collect(s.version) AS versions"
    ).records
    assert found[0]["versions"] == [1]


def test_a_driver_of_the_callers_is_used_and_stays_open(driver: Driver, memory_name: str) -> None:
    with Memory.open(memory_name, driver=driver) as memory:
        memory.remember("Ada Kern lives in Port Linnet.")
        memory.forget_all()
    driver.verify_connectivity()


def test_a_wrong_address_is_refused_in_python_too() -> None:
    with pytest.raises(DatabaseError, match="not the address"):
        Memory.open(uri="ftp://nowhere", auth=("a", "b"))
