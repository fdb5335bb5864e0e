"""A server that allows 64 MB for transactions, and a graph that no single statement could change whole."""

from __future__ import annotations

import io
import os
import random
from typing import TYPE_CHECKING

import pytest
from neo4j import GraphDatabase, exceptions

from bamboo_neo4j import Memory
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.memorise import wiping
from bamboo_neo4j.records import Document
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

EDGES = int(os.environ.get("BAMBOO_EDGES", "40000"))
"""Edges of the graph; a report from practice had 200,000."""
TAGS = 64
"""Tags of a chunk: 2,016 pairs."""
LIMIT = {"dbms.memory.transaction.total.max": "64m"}


def tagged(text: str) -> list[str]:
    """Tag a text with its words that begin with t."""
    return [word for word in text.split() if word.startswith("t")]


def document(choose: random.Random, name: str, chunks: int) -> Document:
    """Make up a document; each chunk holds one tag that all have, and others that few have."""
    paragraphs = (
        " ".join(["thub", *(f"t{number}" for number in choose.sample(range(2000), TAGS - 1))])
        for _ in range(chunks)
    )
    return Document(name, "", "", "\n\n".join(paragraphs), "text/plain")


@pytest.fixture(scope="module")
def cramped(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with little memory for transactions."""
    home = tmp_path_factory.mktemp("cramped")
    local = LocalServer(read_settings({"home": str(home), "cache": str(installed)}, environ={}))
    running = local.start(auth=False, http=False, fast=True, attached=True, config=LIMIT)
    yield running.uri
    local.stop()


class Killed(Exception):
    """Stands for the end of the process."""


class Dying(GraphClient):
    """A client whose process is killed before its third write."""

    writes = 0

    def write(self, work, *, timeout=120.0):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        """Write twice, then never again."""
        self.writes += 1
        if self.writes == 3:
            raise Killed
        return super().write(work, timeout=timeout)


def remember(memory: Memory, document: Document) -> None:
    """Memorise a document with the tags of `tagged`."""
    done = memory.remember(
        document, tagger="tests.faults.test_limits:tagged", tags=TAGS, chunk_tokens=(200, 400)
    )
    assert done.failed == ()


def fails_at_once(driver: Driver) -> None:
    """Show that one statement over all edges is too much for this server."""
    with driver.session() as session, pytest.raises(exceptions.TransientError, match="MemoryPool"):
        session.run(
            "MATCH ()-[edge:CO_OCCURS]->() SET edge.weight = edge.weight + 1 SET edge.rank = edge.rank + 1"
        ).consume()


@pytest.mark.slow
def test_p17_every_change_finishes_in_batches_where_one_statement_would_not(cramped: str) -> None:
    choose = random.Random(3)
    chunks = max(EDGES // (TAGS * (TAGS - 1) // 2), 10)
    with (
        Memory.open("large", uri=cramped, auth=("", "")) as memory,
        Memory.open("copy", uri=cramped, auth=("", "")) as copy,
        GraphDatabase.driver(cramped, notifications_min_severity="OFF") as driver,
    ):
        remember(memory, document(choose, "long", chunks - 8))
        remember(memory, document(choose, "short", 8))
        fails_at_once(driver)
        assert memory.check() == []
        remember(memory, document(choose, "long", chunks // 2))  # an update that takes most of it back
        assert memory.forget("short") > 0
        assert memory.repair() == 0
        assert memory.reindex(language="de") == memory.stats()["chunks"]
        assert memory.check() == []
        file = io.BytesIO()
        memory.export(file)
        file.seek(0)
        copy.load(file)
        assert copy.check() == []
        with pytest.raises(Killed):
            wiping.wipe(Dying(driver, owns=False), "copy")
        assert [fault.where for fault in copy.check()] == ["forget --all"]
        assert copy.forget_all()
        assert memory.forget_all()
        (left,) = driver.execute_query("MATCH (n) RETURN labels(n) AS labels").records
        assert left["labels"] == ["BambooSchema"]
