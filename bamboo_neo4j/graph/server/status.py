"""What `bamboo server status` tells; no password in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bamboo_neo4j.graph.server.login import answers

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.graph.server.state import RunningServer


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The managed server now; without a running one, only `data` and `disk` say something."""

    running: bool
    answers: bool
    uri: str
    username: str
    auth: bool
    http: str
    pid: int
    started: str
    uptime: int  # seconds
    memory: int  # bytes held by its process
    neo4j: str
    java: str
    apoc: str
    data: str
    disk: int  # bytes of its data folder


def measure(server: RunningServer | None, data: Path) -> ServerStatus:
    """Ask the process, the database and the disk."""
    disk = _size(data)
    if server is None:
        return ServerStatus(
            running=False,
            answers=False,
            uri="",
            username="",
            auth=False,
            http="",
            pid=0,
            started="",
            uptime=0,
            memory=0,
            neo4j="",
            java="",
            apoc="",
            data=str(data),
            disk=disk,
        )
    return ServerStatus(
        running=True,
        answers=answers(server),
        uri=server.uri,
        username=server.username,
        auth=bool(server.password),
        http=server.http,
        pid=server.pid,
        started=server.started,
        uptime=max(0, round((datetime.now(UTC) - datetime.fromisoformat(server.started)).total_seconds())),
        memory=_memory(server.pid),
        neo4j=server.neo4j,
        java=server.java,
        apoc=server.apoc,
        data=str(data),
        disk=disk,
    )


def _memory(pid: int) -> int:
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _size(folder: Path) -> int:
    """Sum the bytes on disk; files may vanish meanwhile."""
    size = 0
    for file in folder.rglob("*"):
        try:
            size += file.stat().st_blocks * 512 if file.is_file() else 0
        except OSError:
            continue
    return size
