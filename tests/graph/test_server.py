"""The managed local server, started, killed, shared and refused for real."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError

from bamboo_neo4j.errors import ServerError, UsageError
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.graph.server.java import find_java
from bamboo_neo4j.graph.server.local import APOC
from bamboo_neo4j.graph.server.state import read_running, write_state
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer

CHECKOUT = Path(__file__).resolve().parents[2]
START = """
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import read_settings
print(LocalServer(read_settings()).start(fast=True, http=False).pid)
"""


def test_the_session_server_answers(driver: Driver) -> None:
    assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_an_empty_database_has_nothing_left(empty_database: Driver) -> None:
    assert empty_database.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"] == 0
    constraints = empty_database.execute_query("SHOW CONSTRAINTS YIELD name RETURN count(*) AS n")
    assert constraints.records[0]["n"] == 0


def in_another_process(home: Path, cache: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "BAMBOO_HOME": str(home), "BAMBOO_CACHE": str(cache)}
    environment["PYTHONPATH"] = str(CHECKOUT)
    return subprocess.Popen([sys.executable, "-c", START], env=environment, stdout=subprocess.PIPE, text=True)


def kill_once_it_has_spawned(starter: subprocess.Popen[str], state: Path) -> int:
    """Kill -9 the process that starts a server before the server answers; return the server's pid."""
    while not (found := read_running(state)):
        assert starter.poll() is None
        time.sleep(0.01)
    starter.kill()
    starter.communicate()
    assert not found.ready
    return found.pid


@pytest.fixture(scope="module")
def local(installed: Path) -> Iterator[LocalServer]:
    """A server with a password, whose first starter was killed and which two others then found at once."""
    with tempfile.TemporaryDirectory(prefix="bamboo-local-") as home:
        managed = LocalServer(read_settings({"home": home, "cache": str(installed)}))
        try:
            spawned = kill_once_it_has_spawned(
                in_another_process(Path(home), installed), managed.places.home / "server.json"
            )
            both = [in_another_process(Path(home), installed) for _ in range(2)]
            assert [int(process.communicate()[0]) for process in both] == [spawned, spawned]
            yield managed
        finally:
            managed.stop()


@pytest.fixture
def running(local: LocalServer) -> RunningServer:
    return local.start(fast=True, http=False)


def count(server: RunningServer, name: str) -> int:
    with GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        return int(driver.execute_query("RETURN COUNT { (n {name: $name}) } AS n", name=name).records[0]["n"])


def test_a_server_outlives_its_killed_starter_and_is_found_by_all(
    local: LocalServer, running: RunningServer
) -> None:
    assert local.running() == running
    assert running.ready
    assert local.start().pid == running.pid


def test_a_server_is_found_whatever_the_clock_says(local: LocalServer, running: RunningServer) -> None:
    """Setting a machine's clock moves the time at which a process seems to have been created."""
    file = local.places.home / "server.json"
    try:
        for moved in ("2001-01-01T00:00:00+00:00", "2101-01-01T00:00:00+00:00"):
            write_state(file, replace(running, started=moved))
            found = local.running()
            assert found is not None
            assert found.pid == running.pid
            assert local.status().uptime >= 0
    finally:
        write_state(file, running)


def test_only_its_own_random_password_opens_it(running: RunningServer, local: LocalServer) -> None:
    assert len(running.password) >= 24
    assert running.password == local.password
    assert count(running, "nobody") == 0
    for password in ("neo4j", "wrong"):
        with (
            GraphDatabase.driver(running.uri, auth=("neo4j", password)) as driver,
            pytest.raises(AuthError),
        ):
            driver.verify_connectivity()


def test_the_password_lies_in_two_private_files_alone(local: LocalServer, running: RunningServer) -> None:
    assert running.password not in repr(running)
    holders = []
    for file in local.places.home.rglob("*"):
        if file.is_file() and running.password.encode() in file.read_bytes():
            assert file.stat().st_mode & 0o777 == 0o600
            holders.append(file.name)
    assert sorted(holders) == ["kept.json", "server.json"]
    assert running.password not in " ".join(psutil.Process(running.pid).cmdline())


def test_it_listens_on_loopback_alone(running: RunningServer) -> None:
    listening = [
        found.laddr
        for found in psutil.Process(running.pid).net_connections("tcp")
        if found.status == psutil.CONN_LISTEN
    ]
    assert [address.port for address in listening] == [running.port]
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}


def test_the_server_holds_no_keys_of_the_shell_that_started_it(running: RunningServer) -> None:
    environment = psutil.Process(running.pid).environ()
    assert not [name for name in environment if "KEY" in name or "PASSWORD" in name or "TOKEN" in name]


def test_status_measures_the_process_and_keeps_the_password(
    local: LocalServer, running: RunningServer
) -> None:
    status = local.status()
    assert status.running
    assert status.answers
    assert status.pid == running.pid
    assert status.memory > 100_000_000
    assert status.disk > 500_000
    assert running.password not in repr(status)


def test_apoc_asked_of_a_server_without_it_is_an_error(local: LocalServer, running: RunningServer) -> None:
    with pytest.raises(ServerError, match="without APOC") as caught:
        local.start(apoc="core")
    assert "stop" in caught.value.hint
    assert local.running() == running


def test_data_in_use_names_the_process_that_has_it(local: LocalServer, running: RunningServer) -> None:
    state = local.places.home / "server.json"
    kept = state.read_bytes()
    state.unlink()
    try:
        with pytest.raises(ServerError, match="in use by another Neo4j") as caught:
            local.start(fast=True, http=False)
        assert f"process {running.pid}:" in caught.value.hint
        assert not state.exists()
    finally:
        state.write_bytes(kept)
        state.chmod(0o600)
    assert count(running, "nobody") == 0


def test_after_kill_9_the_same_address_has_the_same_data_and_now_apoc(
    local: LocalServer, running: RunningServer
) -> None:
    with GraphDatabase.driver(running.uri, auth=running.auth) as driver:
        driver.execute_query("CREATE (:Probe {name: 'kept'})")
    process = psutil.Process(running.pid)
    process.kill()
    process.wait(20)
    assert local.running() is None
    again = local.start(fast=True, http=False, apoc="core")
    assert again.pid != running.pid
    assert (again.uri, again.password) == (running.uri, running.password)
    assert count(again, "kept") == 1
    with GraphDatabase.driver(again.uri, auth=again.auth) as driver:
        assert driver.execute_query("RETURN apoc.version() AS apoc").records[0]["apoc"] == APOC


def test_stop_ends_it_and_reset_deletes_its_data_and_password(
    local: LocalServer, running: RunningServer
) -> None:
    assert local.stop()
    assert not psutil.pid_exists(running.pid) or local.running() is None
    assert not local.stop()
    assert local.password
    local.reset()
    assert not local.places.data.exists()
    assert local.password == ""


@pytest.fixture
def fresh(installed: Path, tmp_path: Path) -> LocalServer:
    return LocalServer(read_settings({"home": str(tmp_path / "home"), "cache": str(installed)}))


def test_a_taken_port_is_an_error_when_asked_for(fresh: LocalServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} of 127.0.0.1 is taken"):
            fresh.start(fast=True, bolt_port=port)
    assert fresh.running() is None


def test_a_server_that_dies_at_its_start_is_told_with_its_own_words(fresh: LocalServer) -> None:
    with pytest.raises(ServerError, match=r"stopped while starting: .*heap") as caught:
        fresh.start(fast=True, heap="1m")
    assert "bamboo server logs" in caught.value.hint
    assert fresh.running() is None
    assert "heap" in fresh.logs(20)


def test_a_cache_that_java_could_not_read_is_a_usage_error(tmp_path: Path) -> None:
    local = LocalServer(read_settings({"home": str(tmp_path), "cache": str(tmp_path / "a:b")}))
    with pytest.raises(UsageError, match="BAMBOO_CACHE"):
        local.install()


def test_a_heap_that_java_would_not_understand_is_a_usage_error(fresh: LocalServer) -> None:
    with pytest.raises(UsageError, match="'lots' is no heap size"):
        fresh.start(heap="lots")


def test_without_a_working_java_the_way_to_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ServerError, match="BAMBOO_JAVA") as caught:
        find_java(read_settings({"java": str(tmp_path / "nowhere")}))
    assert "bamboo-neo4j[local]" in caught.value.hint


def test_java_is_found_without_one_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    java, version = find_java(read_settings({"java": ""}, environ={}))
    assert java.is_file()
    assert version.split(".")[0] in {"17", "21"}


def test_a_home_that_cannot_be_made_is_named(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    local = LocalServer(read_settings({"home": str(tmp_path / "file"), "cache": str(installed)}))
    with pytest.raises(ServerError, match="cannot be written"):
        local.start()


def test_a_disk_that_is_full_at_the_start_is_told_and_leaves_no_process(fresh: LocalServer) -> None:
    for file in (fresh.places.conf / "neo4j.conf", fresh.places.console):
        fresh.places.make()
        file.unlink(missing_ok=True)
        file.symlink_to("/dev/full" if file.suffix == ".conf" else fresh.places.home / "no folder" / "file")
        with pytest.raises(ServerError, match=r"home.*' cannot be written or read") as caught:
            fresh.start(http=False)
        assert "BAMBOO_HOME" in caught.value.hint
        assert fresh.running() is None
        file.unlink()


def test_nothing_runs_in_a_new_home(fresh: LocalServer) -> None:
    assert fresh.running() is None
    assert not fresh.stop()
    assert fresh.logs(5) == ""
    assert not fresh.status().running
    fresh.reset()


def test_a_reused_pid_is_not_taken_for_the_server(fresh: LocalServer) -> None:
    """After a reboot the pid in the state file may be anything's: it is neither used nor stopped."""
    with subprocess.Popen(["sleep", "60"]) as stranger:
        fresh.places.make()
        state = (
            '{"uri": "bolt://127.0.0.1:1", "username": "neo4j", "password": "", "http": "", "pid": %d, '
            '"neo4j": "", "java": "", "apoc": "", "data_dir": "%s", "started": ""}'
        )
        (fresh.places.home / "server.json").write_text(state % (stranger.pid, fresh.places.data))
        assert fresh.running() is None
        assert not fresh.stop()
        assert stranger.poll() is None
        stranger.send_signal(signal.SIGKILL)
