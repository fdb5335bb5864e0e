"""Times in JSON: the same instant, with its offset, wherever a command runs."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from bamboo_neo4j import Memory

if TYPE_CHECKING:
    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

WRITTEN = "2026-10-25T02:30:00.123456789[Europe/Berlin]"
"""In the hour that a change to winter time has twice, down to nanoseconds."""


def test_p34_every_zone_reads_the_same_instant_as_iso_8601(
    bamboo: Bamboo, settings: Settings, driver: Driver
) -> None:
    with Memory.open(settings=settings) as memory:
        memory.remember("Ada Kern met Leo Brandt.", id="a")
        driver.execute_query(
            "MATCH (d:Document {memory: $m}) SET d.ingestedAt = datetime($written)",
            m=memory.name,
            written=WRITTEN,
        )
        found = []
        for zone in ("UTC", "Asia/Kolkata", "America/New_York"):
            (document,) = json.loads(bamboo("documents", "--json", env={"TZ": zone}).stdout)
            made = json.loads(bamboo("stats", "--json", env={"TZ": zone}).stdout)["created_at"]
            assert ".123456789" in document["ingested_at"]
            instants = [
                datetime.fromisoformat(text.partition("[")[0]) for text in (document["ingested_at"], made)
            ]
            assert all(instant.tzinfo for instant in instants)
            found.append(instants)
        assert found[0] == found[1] == found[2]
        memory.forget_all()
