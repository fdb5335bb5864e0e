"""A server whose disk is full in the middle of an ingest says so and loses nothing that was stored.

The full disk is a limit on the size of the server's files: like it, it lets a write end in the middle.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.graph.server.login import TOLERANT
from bamboo_neo4j.settings import read_settings
from tests.faults.test_faults import write_files
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.graph.server import RunningServer

ROOM = 200_000
"""Bytes that the transaction log may still grow by."""


def ingest(uri: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))
    }
    return subprocess.run(
        [sys.executable, "-m", "bamboo_neo4j", "ingest", str(folder)],
        env={**environment, "NEO4J_URI": uri, "BAMBOO_RETRY_SECONDS": "2", "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def start_again(local: LocalServer) -> RunningServer:
    """Start the server, as its error says where the log ends in the middle of a write."""
    try:
        return local.start(auth=False, http=False, fast=True, attached=True)
    except ServerError as error:
        if TOLERANT not in error.hint:
            raise
        name, _, value = TOLERANT.partition("=")
        return local.start(auth=False, http=False, fast=True, attached=True, config={name: value})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the files of another process")
def test_a_full_disk_is_said_and_loses_nothing(installed: Path, tmp_path: Path) -> None:
    import resource

    local = LocalServer(read_settings({"home": str(tmp_path / "home"), "cache": str(installed)}, environ={}))
    running = local.start(auth=False, http=False, fast=True, attached=True)
    folder = write_files(tmp_path / "many", count=12, seed=4)
    try:
        with Memory.open(uri=running.uri, auth=("", "")) as memory:
            memory.remember("Ada Kern met Leo Brandt.", id="first")
        (log,) = local.places.data.glob("transactions/neo4j/neostore.transaction.db.*")
        limit = (log.stat().st_size + ROOM, resource.RLIM_INFINITY)
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, limit)
        full = ingest(running.uri, folder)
        assert full.returncode == 4
        assert "disk" in full.stderr.splitlines()[-2]
        assert "Traceback" not in full.stderr
        local.stop()
        running = start_again(local)
        with Memory.open(uri=running.uri, auth=("", "")) as memory:
            assert "first" in {row["id"] for row in memory.documents()}
            assert memory.check() == []
            assert ingest(running.uri, folder).returncode == 0
            assert memory.stats()["documents"] == 13
            assert memory.check() == []
    finally:
        local.stop()
