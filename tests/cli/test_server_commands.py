"""`bamboo server`, as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from filelock import FileLock

from bamboo_neo4j.graph.server import LocalServer, RunningServer
from bamboo_neo4j.graph.server.state import home_option, write_state
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Serve = Callable[..., subprocess.CompletedProcess[str]]

CHECKOUT = Path(__file__).resolve().parents[2]


def environment(home: Path, cache: Path) -> dict[str, str]:
    """No Java, Maven or Docker can be found; nothing else is configured."""
    return {
        "PATH": "",
        "HOME": str(home),
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONIOENCODING": "utf-8",
        "BAMBOO_HOME": str(home),
        "BAMBOO_CACHE": str(cache),
        **{name: os.environ[name] for name in ("BAMBOO_JAVA",) if name in os.environ},
    }


COMMAND = [sys.executable, "-m", "bamboo_neo4j", "server"]


@pytest.fixture(scope="module")
def serve(installed: Path) -> Iterator[Serve]:
    """Run `bamboo server …` on one home for all tests of this file."""
    with tempfile.TemporaryDirectory(prefix="bamboo-cli-", ignore_cleanup_errors=True) as folder:
        base = environment(Path(folder), installed)

        def run(*args: str, text: str = "", **more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*COMMAND, *args],
                env={**base, **more},
                input=text,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )

        yield run
        run("stop")


@pytest.fixture(scope="module")
def started(serve: Serve) -> dict[str, Any]:
    """The status that `start` printed."""
    done = serve("start", "--json")
    assert done.returncode == 0, done.stderr
    assert "starting Neo4j" in done.stderr
    status: dict[str, Any] = json.loads(done.stdout)
    return status


def test_before_the_first_start_status_says_so_and_exits_4(serve: Serve) -> None:
    done = serve("status", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["running"] is False
    assert serve("password").returncode == 7


def test_status_tells_where_and_what(serve: Serve, started: dict[str, Any]) -> None:
    done = serve("status", "--json")
    assert done.returncode == 0
    status = json.loads(done.stdout)
    assert status["running"] is True
    assert status["answers"] is True
    same = ("uri", "username", "http", "pid", "neo4j", "java", "data")
    assert {name: status[name] for name in same} == {name: started[name] for name in same}
    assert status["memory"] > 0
    assert status["uptime"] >= 0
    assert started["uri"] in serve("status").stdout


def test_only_the_command_password_prints_it(serve: Serve, started: dict[str, Any]) -> None:
    assert started["running"]
    shown = serve("password")
    assert shown.returncode == 0
    secret = shown.stdout.strip()
    assert len(secret) >= 24
    for args in (("start",), ("start", "--json"), ("status",), ("status", "--json"), ("logs", "-n", "500")):
        done = serve(*args)
        assert done.returncode == 0
        assert secret not in done.stdout + done.stderr


def test_starting_again_keeps_it_and_says_so(serve: Serve, started: dict[str, Any]) -> None:
    again = serve("start", "--json")
    assert json.loads(again.stdout)["pid"] == started["pid"]
    assert "running already" in again.stderr


def test_only_its_own_browser_may_call_its_http_interface(started: dict[str, Any]) -> None:
    from http.client import HTTPConnection

    connection = HTTPConnection(started["http"].removeprefix("http://"), timeout=10)
    connection.request("GET", "/", headers={"Origin": "http://evil.example"})
    with connection.getresponse() as answer:
        assert answer.getheader("Access-Control-Allow-Origin") == started["http"]
    connection.close()


def test_logs_prints_the_last_lines(serve: Serve, started: dict[str, Any]) -> None:
    assert started["running"]
    done = serve("logs", "-n", "1")
    assert done.stdout.strip().endswith("Started.")
    assert len(done.stdout.splitlines()) == 1


def test_reset_asks_first(serve: Serve, started: dict[str, Any]) -> None:
    refused = serve("reset", text="n\n")
    assert refused.returncode != 0
    assert "Delete all data" in refused.stderr
    assert psutil.pid_exists(started["pid"])


def test_stop_then_foreground_on_the_same_address_until_its_command_is_killed(
    serve: Serve, started: dict[str, Any], installed: Path
) -> None:
    assert "stopped" in serve("stop").stderr
    assert serve("status").returncode == 4
    home = Path(started["data"]).parents[1]
    with subprocess.Popen(
        [*COMMAND, "start", "--foreground", "--no-auth", "--json"],
        env=environment(home, installed),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as foreground:
        assert foreground.stdout
        status = json.loads("".join(iter(foreground.stdout.readline, "}\n")) + "}")
        assert status["uri"] == started["uri"]
        assert status["auth"] is False
        assert foreground.poll() is None
        server = psutil.Process(status["pid"])
        if sys.platform == "linux":
            foreground.kill()
        else:
            foreground.send_signal(signal.SIGTERM)
    end = time.monotonic() + 20
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.05)
    assert serve("status").returncode == 4


def test_reset_deletes_everything_with_yes(serve: Serve, started: dict[str, Any]) -> None:
    assert Path(started["data"]).is_dir()
    assert serve("reset", "--yes").returncode == 0
    assert not Path(started["data"]).exists()


def test_offline_with_an_empty_cache_names_an_artifact_in_two_lines(serve: Serve, tmp_path: Path) -> None:
    done = serve("start", BAMBOO_OFFLINE="1", BAMBOO_CACHE=str(tmp_path), M2_REPO=str(tmp_path / "m2"))
    assert done.returncode == 4
    assert "is not in the cache and BAMBOO_OFFLINE is set" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_java_that_is_not_there_is_told_in_two_lines(serve: Serve, tmp_path: Path) -> None:
    done = serve("start", BAMBOO_JAVA=str(tmp_path / "nowhere"))
    assert done.returncode == 4
    assert "BAMBOO_JAVA names" in done.stderr
    assert 'pip install "bamboo-neo4j[local]"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["status", "start", "password", "logs", "stop", "reset"])
def test_a_home_that_is_a_file_is_told_in_two_lines(tmp_path: Path, command: str) -> None:
    home = tmp_path / "file"
    home.write_text("in the way")
    done = run_alone(command, *(["--yes"] if command == "reset" else []), home=home, cache=tmp_path)
    assert "Traceback" not in done.stderr
    if command in {"status", "start", "password"}:
        assert done.returncode == 4
        assert str(home) in done.stderr
        assert "set BAMBOO_HOME to a folder of yours" in done.stderr


def test_a_home_that_is_a_file_is_told_by_doctor(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = subprocess.run(
        [*COMMAND[:-1], "doctor"],
        env=environment(tmp_path / "file", tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 4
    assert "set BAMBOO_HOME to a folder of yours" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_cannot_be_deleted_is_told(tmp_path: Path) -> None:
    (tmp_path / "neo4j").mkdir()
    (tmp_path / "neo4j" / "data").write_text("no folder")
    done = run_alone("reset", "--yes", home=tmp_path, cache=tmp_path)
    assert done.returncode == 4
    assert str(tmp_path / "neo4j" / "data") in done.stderr
    assert "Traceback" not in done.stderr


LISTENER = """
import socket, time
with socket.create_server(("127.0.0.1", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    time.sleep(120)
"""


def test_foreground_refuses_a_server_that_another_process_was_still_starting(tmp_path: Path) -> None:
    folder = tmp_path / "neo4j"
    folder.mkdir()
    with (
        subprocess.Popen(
            [sys.executable, "-c", LISTENER, home_option(folder)], stdout=subprocess.PIPE, text=True
        ) as other,
        FileLock(folder / "server.json.lock") as lock,
        subprocess.Popen(
            [*COMMAND, "start", "--foreground"],
            env=environment(tmp_path, tmp_path),
            stderr=subprocess.PIPE,
            text=True,
        ) as ours,
    ):
        assert other.stdout
        assert ours.stderr
        assert "waiting for another process" in ours.stderr.readline()
        write_state(folder / "server.json", running_as(other.pid, int(other.stdout.readline()), folder))
        lock.release()
        try:
            said = ours.communicate(timeout=30)[1]
            assert f"the server runs already as process {other.pid}" in said
            assert ours.returncode == 4
            assert other.poll() is None
        finally:
            ours.kill()
            other.kill()


def test_only_the_server_that_was_meant_is_stopped(tmp_path: Path) -> None:
    local = LocalServer(read_settings({"home": str(tmp_path)}))
    local.places.make()
    home = tmp_path / "neo4j"
    with subprocess.Popen(
        [sys.executable, "-c", "input()", home_option(home)], stdin=subprocess.PIPE
    ) as other:
        theirs = running_as(other.pid, 1, home)
        write_state(home / "server.json", theirs)
        assert not local.stop(only=replace(theirs, pid=1))
        assert other.poll() is None
        other.kill()


def running_as(pid: int, port: int, home: Path) -> RunningServer:
    return RunningServer(
        uri=f"bolt://127.0.0.1:{port}",
        username="neo4j",
        password="",
        http="",
        pid=pid,
        neo4j="",
        java="",
        apoc="",
        data_dir=str(home / "data"),
        started="",
        ready=True,
    )


def run_alone(*arguments: str, home: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        env=environment(home, cache),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
