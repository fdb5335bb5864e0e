"""The server's process: its ports, its start, what it complains of, and its end."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server.conf import HOST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bamboo_neo4j.graph.server.conf import Places
    from bamboo_neo4j.graph.server.state import RunningServer

# New ports come from below those that systems give to outgoing connections (Linux from 32768, others from
# 49152): among them a port that is remembered would soon be in someone's use.
PORTS = range(20_000, 32_000)
GUESSES = 20
STOP = 20.0  # seconds between the request to stop and the kill
PASSED_ON = ("PATH", "HOME", "USER", "TMPDIR", "TZ")

# Run in front of the server where it is to end with its parent (Linux). PR_SET_PDEATHSIG is 1; it survives
# the exec. The parent may be gone before the call, hence the comparison.
WITH_PARENT = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def choose_ports(preferred: tuple[int, int], *, fixed: tuple[bool, bool]) -> tuple[int, int]:
    """Return a free port for each of the two preferred ones (0: any): itself where it is free.

    Raises ServerError when a fixed one is taken.
    """
    with ExitStack() as held:  # all are held until each is chosen, so that no port is chosen twice
        first = _choose_port(preferred[0], fixed=fixed[0], held=held)
        return first, _choose_port(preferred[1], fixed=fixed[1], held=held)


def _choose_port(preferred: int, *, fixed: bool, held: ExitStack) -> int:
    for port in _guesses(preferred, fixed=fixed):
        probe = held.enter_context(socket.socket())
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            continue
        return int(probe.getsockname()[1])
    raise ServerError(
        f"port {preferred} of {HOST} is taken or not allowed",
        hint="choose another one, or none: a free one is found and remembered",
    )


def _guesses(preferred: int, *, fixed: bool) -> list[int]:
    if fixed:
        return [preferred]
    known = [preferred] if preferred else []
    return [*known, *random.sample(PORTS, GUESSES), 0]


def is_free(port: int) -> bool:
    """Whether nothing listens on `port` of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) != 0


def listens(pid: int, port: int) -> bool:
    """Whether this very process listens on `port`; another program there is not our server."""
    import psutil

    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(found.status == psutil.CONN_LISTEN and found.laddr.port == port for found in connections)


def spawn(command: Sequence[str], places: Places, *, attached: bool) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own, so that it outlives this process and its terminal.

    `attached`: it ends with this process instead (where the system can do that: Linux).
    """
    if attached and sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", WITH_PARENT, str(os.getpid()), *command]
    with places.console.open("wb") as console:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=places.home,
            env=_environment(places),
        )


def _environment(places: Places) -> dict[str, str]:
    """Pass on little: a server that lives for days should not hold this shell's keys and Java options."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    # Java reads paths by the locale: in the C locale it finds no folder with a letter beyond ASCII.
    return {**kept, "LC_ALL": "C.UTF-8", "NEO4J_CONF": str(places.conf)}


def complaint(places: Places) -> ServerError:
    """Make the error for a server that ended while starting, from what it printed."""
    text = places.console.read_text(encoding="utf-8", errors="replace")
    if "FileLockException" in text or "store_lock" in text:
        return _in_use(places)
    telling = re.findall(r"(?:Caused by: |ERROR +|Error: |Exception in thread ).*", text)
    lines = telling or text.splitlines() or ["it printed nothing"]
    return ServerError(
        f"Neo4j stopped while starting: {lines[-1].strip()}",
        hint=f"see `bamboo server logs -n 100`, or the files in {str(places.logs)!r}",
    )


def log_is_torn(places: Places) -> bool:
    """Whether the last start found that the transaction log ends in the middle of a write."""
    log = places.logs / "debug.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return "recovery not possible" in text[max(text.rfind("System diagnostics"), 0) :]


def _in_use(places: Places) -> ServerError:
    others = _owners(places)
    who = f"process {others[0]}: end it with `kill {others[0]}`" if others else "another program: end that"
    return ServerError(
        f"the data in {str(places.data)!r} is in use by another Neo4j", hint=f"it is {who}, then start again"
    )


def _owners(places: Places) -> list[int]:
    """Find the processes that were started on the same home folder."""
    import psutil

    mark = f"--home-dir={places.home}"
    found = psutil.process_iter(["pid", "cmdline"])
    return [process.pid for process in found if mark in (process.info["cmdline"] or ())]


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


def wait(server: RunningServer) -> None:
    """Return when the process has ended."""
    import psutil

    try:
        psutil.Process(server.pid).wait()
    except psutil.NoSuchProcess:
        return


def tail(file: Path, lines: int) -> str:
    """Return the last `lines` lines of `file`; empty when there is none."""
    if not file.is_file():
        return ""
    text = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(text[-lines:] if lines > 0 else [])
