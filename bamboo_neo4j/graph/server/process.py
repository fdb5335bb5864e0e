"""The server's process: start it detached, wait until it answers, stop it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server.conf import HOST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bamboo_neo4j.graph.server.conf import Places
    from bamboo_neo4j.graph.server.state import RunningServer

DEADLINE = 90.0  # seconds until the first answer; ten is usual, twenty on a loaded machine
STOP = 20.0  # seconds between the request to stop and the kill
POLL = 0.05


def free_port(preferred: int) -> int:
    """Return `preferred` if nothing listens there, else some free port."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServerError("no free port on this machine", hint="close some programs and try again")


def spawn(command: Sequence[str], places: Places) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own, so that it outlives this process and its terminal."""
    with places.console.open("wb") as console:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=places.home,
            env={**os.environ, "NEO4J_CONF": str(places.conf)},
        )


def wait_for_port(process: subprocess.Popen[bytes], port: int, places: Places) -> None:
    """Return as soon as something listens on `port`; ServerError when the process dies or is too slow."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if process.poll() is not None:
            raise ServerError(f"Neo4j stopped while starting: {_complaint(places)}", hint=_advice(places))
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(POLL)
    raise ServerError(f"Neo4j did not answer within {DEADLINE:.0f} seconds", hint=_advice(places))


def _complaint(places: Places) -> str:
    lines = places.console.read_text(encoding="utf-8", errors="replace").splitlines()
    telling = [line.strip() for line in lines if re.search(r"Caused by:|ERROR", line)]
    return telling[-1] if telling else (lines[-1] if lines else "it printed nothing")


def _advice(places: Places) -> str:
    return f"see `bamboo server logs`, or the files in {str(places.logs)!r}"


def end(server: RunningServer) -> None:
    """Ask the process to stop, wait, and kill it when it does not."""
    import psutil

    try:
        process = psutil.Process(server.pid)
        process.terminate()
        try:
            process.wait(STOP)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(STOP)
    except psutil.NoSuchProcess:
        return


def tail(file: Path, lines: int) -> str:
    """Return the last `lines` lines of `file`; empty when there is none."""
    if not file.is_file():
        return ""
    text = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(text[-lines:])
