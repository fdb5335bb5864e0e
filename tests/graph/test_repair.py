"""`check` names every kind of damage, and `check --repair` mends it from the chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph import check
from bamboo_neo4j.graph.client import GraphClient, Row
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.memorise.repairing import repair
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.records import Document
from tests.graph.drafts import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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
    "weight missing": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 SET r.weight = null",
    "edge missing": "MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1 DELETE r",
    "edge without a chunk": """MATCH (a:Tag {memory: $m}), (b:Tag {memory: $m}) WHERE a.id < b.id
        AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) } WITH a, b LIMIT 1
        CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 3, rank: 3.0}]->(b)""",
    "edge with other ends than it says": """MATCH (:Tag {memory: $m})-[r:CO_OCCURS]->() WITH r LIMIT 1
        SET r.src = -1""",
    "edge of another pair that says it is this one": """MATCH (a:Tag {memory: $m})-[r:CO_OCCURS]->(b)
        WITH a, b, r ORDER BY a.key LIMIT 1 MATCH (x:Tag {memory: $m})-[o:CO_OCCURS]->(y) WHERE o <> r
        WITH a, b, r, x, y ORDER BY x.key DESC LIMIT 1 DELETE r
        CREATE (x)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 1, rank: 1.0}]->(y)""",
    "word not counted": "MATCH (w:Word {memory: $m}) WITH w LIMIT 1 SET w.df = null",
    "word counted wrong": "MATCH (w:Word {memory: $m}) WITH w LIMIT 1 SET w.df = w.df + 5",
    "word without a chunk": "CREATE (:Word {memory: $m, name: 'ghost', df: 1})",
    "word missing": "MATCH (w:Word {memory: $m}) WITH w LIMIT 1 DELETE w",
    "length missing": "MATCH (c:Chunk {memory: $m}) WITH c LIMIT 1 SET c.length = null",
    "chunk of no memory": "MATCH (c:Chunk {memory: $m}) WITH c LIMIT 1 SET c.memory = null",
    "length wrong": "MATCH (c:Chunk {memory: $m}) WITH c LIMIT 1 SET c.length = 1",
    "counters wrong": "MATCH (m:BambooMemory {name: $m}) SET m.chunks = 77, m.terms = 0",
    "counters missing": "MATCH (m:BambooMemory {name: $m}) SET m.chunks = null, m.terms = null",
    "tag that nothing holds": "CREATE (:Tag {memory: $m, key: 'idle', name: 'idle', id: 0})",
    "tag linked twice": """MATCH (c:Chunk {memory: $m})-[:TAGGED]->(t) WITH c, t LIMIT 1
        CREATE (c)-[:TAGGED {kind: 'entity', salience: 1.0}]->(t)""",
    "primary tag that is no tag": """MATCH (c:Chunk {memory: $m}), (t:Tag {memory: $m})
        WHERE NOT EXISTS { (c)-[:TAGGED]->(t) } WITH c, t LIMIT 1 CREATE (c)-[:ABOUT]->(t)""",
    "chain broken": "MATCH (:Chunk {memory: $m})-[r:NEXT_CHUNK]->() WITH r LIMIT 1 DELETE r",
    "ordinal wrong": "MATCH (c:Chunk {memory: $m, ordinal: 1}) SET c.ordinal = 9",
    "ordinal missing": "MATCH (c:Chunk {memory: $m, ordinal: 7}) SET c.ordinal = null",
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
    if kind not in {"ordinal wrong", "ordinal missing"}:
        assert facts(driver, memory.name) == before


def test_repair_of_a_memory_that_is_right_changes_nothing(memory: Memory, driver: Driver) -> None:
    before = facts(driver, memory.name)
    assert memory.repair() == 0
    assert facts(driver, memory.name) == before


class Beside(GraphClient):
    """A client beside which something else happens just before it reads the words, a few times."""

    def __init__(self, driver: Driver, meanwhile: Callable[[], object], *, times: int) -> None:
        super().__init__(driver, owns=False)
        self._meanwhile = meanwhile
        self._times = times

    def read(self, name: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        if name == "inspect/check_words" and self._times:
            self._times -= 1
            self._meanwhile()
        return super().read(name, parameters)


def written(driver: Driver, memory: str) -> Callable[[], object]:
    """Return a writer that turns the memory's numbers wrong and right by turns, as a check beside it sees."""
    states = [0, 5]

    def write() -> None:
        driver.execute_query(
            """MATCH (m:BambooMemory {name: $m}) SET m.writes = m.writes + 1 WITH m
            MATCH (w:Word {memory: $m}) WITH w ORDER BY w.name LIMIT 1 SET w.df = w.df + $more""",
            m=memory,
            more=states[1] - states[0],
        )
        states.reverse()

    return write


def test_a_check_beside_a_writer_begins_again_until_it_sees_one_state(memory: Memory, driver: Driver) -> None:
    beside = Beside(driver, written(driver, memory.name), times=2)
    assert check.find_faults(beside, memory.name) == []


def test_a_check_beside_one_who_never_stops_says_so(memory: Memory, driver: Driver) -> None:
    beside = Beside(driver, written(driver, memory.name), times=1_000)
    with pytest.raises(DatabaseError, match="being written to"):
        check.find_faults(beside, memory.name)


def test_words_counted_beside_a_writer_are_counted_again(memory: Memory, driver: Driver) -> None:
    driver.execute_query(DAMAGE["word without a chunk"], m=memory.name)
    beside = Beside(driver, lambda: memory.remember("Ada Kern met a ghost.", id="c"), times=1)
    repair(beside, memory.name)
    assert memory.check() == []
    assert memory.recall("ghost").chunks[0].document == "c"


HUB = """CREATE (:BambooMemory {name: $m, writes: 0, chunks: $n, terms: 0, wiping: true})
    CREATE (a:Tag {memory: $m, key: 'a', name: 'a', id: $first})
    WITH a UNWIND range(1, $n) AS i
    CREATE (b:Tag {memory: $m, key: 'b' + toString(i), name: 'b', id: $first + i})
    CREATE (a)<-[:TAGGED]-(:Chunk {memory: $m, id: $m + ':' + toString(i), terms: ''})-[:TAGGED]->(b)
    CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 1, rank: 1.0}]->(b)"""


@pytest.mark.parametrize("name", ["inspect/check_weights", "repair/weights"])
@pytest.mark.parametrize("surplus", [False, True])
def test_twice_the_edges_of_a_hub_cost_about_twice_the_work(
    driver: Driver, memory_name: str, name: str, surplus: bool
) -> None:
    hits = []
    for size in (200, 400):
        hub = f"{memory_name}-{size}"
        first = int(memory_name[-12:], 16) * 1000 + size
        driver.execute_query(HUB, m=hub, n=size, first=first)
        if surplus:
            driver.execute_query(
                "MATCH (c:Chunk {id: $c})-[r:TAGGED]->(:Tag {key: 'b1', memory: $m}) DELETE r",
                c=f"{hub}:1",
                m=hub,
            )
        try:
            text = f"PROFILE {load(name).text}"
            profile = driver.execute_query(text, memory=hub, after="", until="c").summary.profile
            hits.append(db_hits(profile))
        finally:
            wipe(GraphClient(driver, owns=False), hub)
    assert hits[1] < 2.6 * hits[0], hits


def db_hits(profile: dict[str, Any] | None) -> int:
    assert profile
    return int(profile.get("dbHits", 0)) + sum(db_hits(child) for child in profile.get("children", ()))


GROWN = """MATCH (a:Tag {memory: $m}), (b:Tag {memory: $m})
    WHERE a.id < b.id AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) }
    WITH a, b ORDER BY a.id, b.id LIMIT 1
    CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 0, rank: 0.6, strength: 0.3,
      usedStrength: 0.3, usedCycle: 0, activations: 3, emergent: true}]->(b)"""


@pytest.mark.parametrize("damage", ["weight = 4", "weight = null", "rank = 0.0", "rank = null"])
def test_an_edge_that_grew_from_use_keeps_its_rank(memory: Memory, driver: Driver, damage: str) -> None:
    driver.execute_query(GROWN, m=memory.name)
    assert memory.check() == []
    driver.execute_query(
        f"MATCH (:Tag {{memory: $m}})-[r:CO_OCCURS]->() WHERE r.emergent SET r.{damage}", m=memory.name
    )
    # evidence would raise the strength too, so a weight that is too large is seen twice
    faults = {fault.invariant: fault.expected for fault in memory.check()}
    assert faults.pop("weight") == "weight 0, rank 0.6"
    assert faults == ({"learned": "strength 0.5"} if damage == "weight = 4" else {})
    assert memory.repair() == 1
    assert memory.check() == []


def test_an_index_that_failed_is_made_anew(memory: Memory, driver: Driver) -> None:
    """A value that is too long for an index, written while there was none, makes it fail."""
    driver.execute_query("DROP INDEX episode_status IF EXISTS")
    driver.execute_query("CREATE (:Episode {memory: $m, status: $s})", m=memory.name, s="x" * 50_000)
    try:
        driver.execute_query("CREATE INDEX episode_status FOR (e:Episode) ON (e.memory, e.status)")
        with pytest.raises(Exception, match="FAILED"):
            driver.execute_query("CALL db.awaitIndexes(30)")
        assert ("episode_status", "FAILED") in {(fault.where, fault.found) for fault in memory.check()}
    finally:
        driver.execute_query("MATCH (e:Episode {memory: $m}) DELETE e", m=memory.name)
        memory.repair()
    assert memory.check() == []
