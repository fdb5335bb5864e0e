"""The demo graph, on which each statement's sample parameters work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.schema import prepare

if TYPE_CHECKING:
    from neo4j import Driver


@pytest.fixture(scope="session")
def demo(driver: Driver) -> Driver:
    """The session's server with the schema and the demo memory."""
    prepare(GraphClient(driver, owns=False))
    return driver
