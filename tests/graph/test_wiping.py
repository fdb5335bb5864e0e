"""Forgetting a memory whole, beside other programs that forget it too or fill it again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NotFound
from bamboo_neo4j.graph.client import WRITE_TIMEOUT, GraphClient
from bamboo_neo4j.memorise import wiping
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.records import Document
from tests.graph.drafts import draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neo4j import Driver

    from bamboo_neo4j.graph.client import Transaction
    from bamboo_neo4j.settings import Settings

    T = TypeVar("T")

DOCUMENT = Document("a", "", "", "Ada Kern met Leo Brandt in Port Linnet.", "text/plain")
BATCHES = {
    "memorise/wipe_nodes": {"limit": 1000},
    "memorise/wipe_edges": {"tags": 1000, "limit": 1000},
    "memorise/wipe_tags": {"tags": 1000},
}


class Interrupted(GraphClient):
    """A client beside which, after its first write, something else happens."""

    def __init__(self, driver: Driver, meanwhile: Callable[[], object]) -> None:
        super().__init__(driver, owns=False)
        self._meanwhile: Callable[[], object] | None = meanwhile

    def write(self, work: Callable[[Transaction], T], *, timeout: float = WRITE_TIMEOUT) -> T:
        done = super().write(work, timeout=timeout)
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile:
            meanwhile()
        return done


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(DOCUMENT)
        yield opened
        opened.forget_all()


def test_a_memory_that_was_made_anew_meanwhile_is_left_alone(
    memory: Memory, driver: Driver, settings: Settings
) -> None:
    def helped_and_filled_again() -> None:
        with Memory.open(settings=settings) as other:
            other.remember(DOCUMENT)

    assert wiping.wipe(Interrupted(driver, helped_and_filled_again), memory.name)
    assert memory.check() == []
    assert memory.recall("Ada Kern").chunks[0].document == "a"


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_deletes_nothing_of_a_memory_that_is_not_being_forgotten(
    memory: Memory, driver: Driver, name: str
) -> None:
    before = memory.stats()
    parameters = {"memory": memory.name, **BATCHES[name]}
    assert GraphClient(driver, owns=False).write(lambda step: step.run(name, parameters)) == []
    after = memory.stats()
    assert {**after, "writes": 0} == {**before, "writes": 0}


def test_a_batch_sees_what_was_committed_while_it_waited_for_the_lock(memory: Memory, driver: Driver) -> None:
    driver.execute_query("MATCH (m:BambooMemory {name: $m}) SET m.wiping = true", m=memory.name)
    client = GraphClient(driver, owns=False)
    parameters = {"memory": memory.name, "limit": 1000}
    with ThreadPoolExecutor(1) as pool, driver.session() as session, session.begin_transaction() as holder:
        holder.run("MATCH (m:BambooMemory {name: $m}) SET m.writes = m.writes + 1", m=memory.name).consume()
        batch = pool.submit(client.write, lambda step: step.run("memorise/wipe_nodes", parameters))
        time.sleep(0.5)
        waited = not batch.done()
        holder.run("CREATE (:Word {memory: $m, name: 'late', df: 1})", m=memory.name).consume()
        holder.commit()
        batch.result(timeout=60)
    assert waited
    left = driver.execute_query("MATCH (w:Word {memory: $m}) RETURN count(w) AS words", m=memory.name)
    assert left.records[0]["words"] == 0


def test_a_writer_that_waited_while_the_memory_was_forgotten_writes_nothing(
    memory: Memory, driver: Driver
) -> None:
    writer = Writer(
        GraphClient(driver, owns=False), memory=memory.name, normaliser=memory.normaliser.fingerprint
    )
    with ThreadPoolExecutor(1) as pool, driver.session() as session, session.begin_transaction() as holder:
        holder.run("MATCH (m:BambooMemory {name: $m}) SET m.writes = m.writes + 1", m=memory.name).consume()
        late = pool.submit(writer.write, [draft(memory.name, "late", [["x", "y"]])])
        time.sleep(0.5)
        assert not late.done()
        holder.run("MATCH (m:BambooMemory {name: $m}) DELETE m", m=memory.name).consume()
        holder.run("MATCH (n {memory: $m}) DETACH DELETE n", m=memory.name).consume()
        holder.commit()
        with pytest.raises(NotFound, match="there is no memory"):
            late.result(timeout=60)
    left = driver.execute_query("MATCH (n {memory: $m}) RETURN count(n) AS nodes", m=memory.name)
    assert left.records[0]["nodes"] == 0


def test_two_programs_may_forget_one_memory_at_once(memory: Memory, driver: Driver) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(wiping.wipe, GraphClient(driver, owns=False), memory.name) for _ in range(2)]
        assert True in {each.result(timeout=60) for each in both}
    left = driver.execute_query(
        "MATCH (n) WHERE (n:Tag OR n:Chunk OR n:Word OR n:Document) AND n.memory = $m RETURN count(n) AS n",
        m=memory.name,
    )
    assert left.records[0]["n"] == 0
