"""What is known of the managed server between two runs of the command line."""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

BECOMING = 2.0
"""Seconds that a process which is becoming another program may have no command line."""


def home_option(home: Path) -> str:
    """Return the option of Neo4j's command line that names its folder, and by which its process is known."""
    return f"--home-dir={home}"


@dataclass(frozen=True, slots=True)
class RunningServer:
    """One running server: how to reach it and which process it is."""

    uri: str
    username: str
    password: str = field(repr=False)
    http: str
    pid: int
    neo4j: str
    java: str
    apoc: str
    data_dir: str
    started: str
    ready: bool = False  # whether it has answered since its start

    @property
    def port(self) -> int:
        """The Bolt port."""
        return int(self.uri.rpartition(":")[2])

    @property
    def http_port(self) -> int:
        """The port of its HTTP interface; 0 when that is off."""
        return int(self.http.rpartition(":")[2]) if self.http else 0

    @property
    def auth(self) -> tuple[str, str] | None:
        """Username and password for the driver; None when the server asks for none."""
        return (self.username, self.password) if self.password else None

    def alive(self) -> bool:
        """Whether the very process that was started still runs.

        It is told by the folder on its command line: the time of creation of a process moves when the
        machine's clock is set, and a number alone may be another process's by now.
        """
        import psutil

        try:
            process = psutil.Process(self.pid)
            command = process.cmdline()
            end = time.monotonic() + BECOMING
            while not command and process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
                time.sleep(0.01)
                command = process.cmdline()
            ours = home_option(Path(self.data_dir).parent) in command
            return ours and process.status() != psutil.STATUS_ZOMBIE
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False


@dataclass(frozen=True, slots=True)
class Kept:
    """What outlives a stop: the password of the data, and the ports that bookmarks point to."""

    password: str = field(default="", repr=False)
    confirmed: bool = False  # whether the data is known to have this password
    bolt: int = 0
    http: int = 0


def read_running(file: Path) -> RunningServer | None:
    """Read the running server's state; None when there is none or it is of another version."""
    try:
        return RunningServer(**json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, TypeError, ValueError):
        return None


def read_kept(file: Path) -> Kept:
    """Read what was kept; a fresh one when there is none."""
    try:
        return Kept(**json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, TypeError, ValueError):
        return Kept()


def write_state(file: Path, state: RunningServer | Kept) -> None:
    """Write atomically, readable by this user only (a password is in it)."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(asdict(state), stream)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
