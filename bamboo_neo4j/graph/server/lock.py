"""Let one process at a time install or start something."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.graph.server.progress import Progress


@contextmanager
def locked(file: Path, progress: Progress, *, waiting: str) -> Iterator[None]:
    """Hold the lock `file`; while another process has it, report `waiting` once and wait.

    The operating system gives the lock free when its holder dies, however that happens.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress(waiting, 0, 0)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
