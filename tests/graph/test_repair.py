"""`check` names every kind of damage, and `check --repair` mends it from the chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.records import Document
from tests.graph.drafts import facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings

LONG = "\n\n".join(f"Ada Kern met Leo Brandt in Port Linnet in {year}. " * 12 for year in range(1900, 1908))
DOCUMENTS = (
    Document("a", "", "Letters", LONG, "text/plain"),
    Document("b", "", "", "Leo Brandt built the lighthouse of Port Linnet.", "text/plain"),
)

DAMAGE = {
    "weight too large": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 SET r.weight = 99",
    "rank missing": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 SET r.rank = null",
    "rank not a number": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 SET r.rank = 0.0 / 0.0",
    "edge missing": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 DELETE r",
    "edge without a chunk": """MATCH (a:Tag {memory: $m}), (b:Tag {memory: $m}) WHERE a.id < b.id
        AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) } WITH a, b LIMIT 1
        CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 3, rank: 3.0}]->(b)""",
    "edge with other ends than it says": """MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1
        SET r.src = -1""",
    "word counted wrong": "MATCH (w:Word {memory: $m}) WITH w LIMIT 1 SET w.df = w.df + 5",
    "word without a chunk": "CREATE (:Word {memory: $m, name: 'ghost', df: 1})",
    "word missing": "MATCH (w:Word {memory: $m}) WITH w LIMIT 1 DELETE w",
    "length wrong": "MATCH (c:Chunk {memory: $m}) WITH c LIMIT 1 SET c.length = 1",
    "counters wrong": "MATCH (m:BambooMemory {name: $m}) SET m.chunks = 77, m.terms = 0",
    "tag that nothing holds": "CREATE (:Tag {memory: $m, key: 'idle', name: 'idle', id: 0})",
    "tag linked twice": """MATCH (c:Chunk {memory: $m})-[:TAGGED]->(t) WITH c, t LIMIT 1
        CREATE (c)-[:TAGGED {kind: 'entity', salience: 1.0}]->(t)""",
    "primary tag that is no tag": """MATCH (c:Chunk {memory: $m}), (t:Tag {memory: $m})
        WHERE NOT EXISTS { (c)-[:TAGGED]->(t) } WITH c, t LIMIT 1 CREATE (c)-[:ABOUT]->(t)""",
    "chain broken": "MATCH (:Chunk {memory: $m})-[r:NEXT_CHUNK]->() WITH r LIMIT 1 DELETE r",
    "ordinal wrong": "MATCH (c:Chunk {memory: $m, ordinal: 1}) SET c.ordinal = 9",
    "index dropped": "DROP INDEX co_occurs_src_rank",
}


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(DOCUMENTS, chunk_tokens=(50, 100))
        yield opened
        opened.forget_all()


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_found_named_and_mended(memory: Memory, driver: Driver, kind: str) -> None:
    before = facts(driver, memory.name)
    assert memory.check() == []
    driver.execute_query(DAMAGE[kind], m=memory.name)
    faults = memory.check()
    assert faults
    assert all(fault.where and fault.expected and fault.found for fault in faults)
    assert memory.repair() > 0 or kind == "index dropped"
    assert memory.check() == []
    if kind != "ordinal wrong":
        assert facts(driver, memory.name) == before


def test_repair_of_a_memory_that_is_right_changes_nothing(memory: Memory, driver: Driver) -> None:
    before = facts(driver, memory.name)
    assert memory.repair() == 0
    assert facts(driver, memory.name) == before
