"""A sweep where memory is short: it goes on in batches, killed or not, on a server of its own."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import neo4j
import pytest
from neo4j.exceptions import Neo4jError

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import BambooError
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.schema import prepare
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import read_settings
from tests.bench.sweep import kill, plant, prove

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.settings import Settings

EDGES = 40_000
MEMORY = "short"
LIMIT = "40m"
ALL_AT_ONCE = "MATCH (:Tag {memory: $memory})-[edge:CO_OCCURS]->() SET edge.strength = 0.6, edge.rank = 1.2"


@pytest.fixture
def short(installed: Path) -> Iterator[Settings]:
    """A server whose transactions may take 40 MiB together."""
    with tempfile.TemporaryDirectory(prefix="bamboo-short-", ignore_cleanup_errors=True) as home:
        local = LocalServer(read_settings({"home": home, "cache": str(installed)}))
        try:
            running = local.start(
                auth=False, http=False, fast=True, config={"dbms.memory.transaction.total.max": LIMIT}
            )
        except BambooError as error:
            if os.environ.get("CI"):
                pytest.fail(f"no server to test with: {error}", pytrace=False)
            pytest.skip(f"no server to test with: {error}")
        try:
            yield read_settings({"uri": running.uri, "memory": MEMORY}, environ={})
        finally:
            local.stop()


def test_p17_decay_and_wiping_go_on_in_batches_where_one_statement_would_not_fit(short: Settings) -> None:
    with neo4j.GraphDatabase.driver(short["uri"], notifications_min_severity="OFF") as driver:

        def run(query: str, **parameters: object) -> list[dict[str, Any]]:
            return [row.data() for row in driver.execute_query(query, parameters).records]

        prepare(GraphClient(driver, owns=False))
        plant(run, MEMORY, EDGES)
        with driver.session() as session, pytest.raises(Neo4jError, match=r"(?i)memory"):
            session.run(ALL_AT_ONCE, memory=MEMORY).consume()
        run("MATCH (m:BambooMemory {name: $memory}) SET m.cycle = 12", memory=MEMORY)
        assert kill(short, run, MEMORY, batches=1)
        assert kill(short, run, MEMORY, batches=1)
        with Memory.open(MEMORY, driver=driver) as memory:
            memory.maintain()
            assert prove(run, MEMORY, cycle=12) == 0
            assert memory.maintain().decayed == 0
            assert memory.check() == []
            assert memory.forget_all()
        assert run("MATCH (n) WHERE n.memory = $memory RETURN count(n) AS n", memory=MEMORY) == [{"n": 0}]
