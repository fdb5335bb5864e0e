"""The demo graph, on which each statement's sample parameters work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.cli.demo import MEMORY, sample_documents

if TYPE_CHECKING:
    from neo4j import Driver


@pytest.fixture(scope="module")
def demo(driver: Driver) -> Driver:
    """The session's server with the schema and the demo memory."""
    with Memory.open(MEMORY, driver=driver) as memory:
        memory.remember(sample_documents())
    return driver
