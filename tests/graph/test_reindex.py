"""Indexing anew: other word rules, the same texts and tags, exact weights, nothing learned lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.memorise.reindexing import reindex
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

DOCUMENTS = (
    Document("a", "", "Houses", "The houses of Port Linnet are painted. Houses have painters.", "text/plain"),
    Document("b", "", "", "A house of Ada Kern is painted green by Leo Brandt.", "text/plain"),
)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(DOCUMENTS)
        yield opened
        assert opened.check() == []
        opened.forget_all()


@pytest.mark.parametrize("language", ["de", "fr", "zh", "en"])
def test_another_language_gives_exact_weights_and_finds_the_same_texts(memory: Memory, language: str) -> None:
    assert memory.reindex(language=language) == 2
    assert memory.language == language
    assert memory.check() == []
    assert memory.recall("Ada Kern").chunks[0].document == "b"


def test_what_was_learned_stays_with_a_renamed_tag(memory: Memory, driver: Driver) -> None:
    driver.execute_query(
        """MATCH (:Tag {memory: $m, name: 'ada kern'})-[r:CO_OCCURS]-(:Tag {name: 'leo brandt'})
        SET r.strength = 0.8, r.usedStrength = 0.8, r.usedCycle = 0, r.activations = 1
        SET r.rank = r.weight * r.strength / 0.5""",
        m=memory.name,
    )
    memory.reindex(language="de")
    found = {each.tag: each.strength for each in memory.neighbours("Ada Kern")}
    assert found["leo brandt"] == 0.8


def test_going_there_and_back_again_gives_the_same_keys(memory: Memory, driver: Driver) -> None:
    read = "MATCH (t:Tag {memory: $m}) RETURN collect(t.key) AS keys"
    before = set(driver.execute_query(read, m=memory.name).records[0]["keys"])
    memory.reindex(language="de")
    memory.reindex(language="en")
    assert set(driver.execute_query(read, m=memory.name).records[0]["keys"]) <= before


def test_a_memory_with_other_rules_is_refused_until_it_is_indexed_anew(
    memory: Memory, driver: Driver, settings: Settings
) -> None:
    driver.execute_query("MATCH (m:BambooMemory {name: $m}) SET m.normaliser = 'reindexing'", m=memory.name)
    with Memory.open(settings=settings) as late:
        with pytest.raises(DatabaseError, match="indexed anew"):
            late.recall("Ada Kern")
        with pytest.raises(DatabaseError, match="indexed anew"):
            late.remember("more")
        assert late.reindex() == 2
        assert late.recall("Ada Kern").chunks


def test_a_document_is_looked_at_again_after_that(memory: Memory) -> None:
    memory.reindex()
    assert memory.remember(DOCUMENTS).updated == 2
    assert memory.remember(DOCUMENTS).unchanged == 2


def test_there_must_be_a_memory(settings: Settings) -> None:
    with Memory.open(settings=settings) as empty, pytest.raises(NotFound):
        empty.reindex()


def test_of_two_at_once_in_different_languages_one_gives_way(memory: Memory, driver: Driver) -> None:
    client = GraphClient(driver, owns=False)

    def meanwhile(_done: int) -> None:
        memory.reindex(language="fr")

    with pytest.raises(DatabaseError, match="another program"):
        reindex(client, memory.name, words=normaliser("de"), progress=meanwhile)
    kept = driver.execute_query(
        "MATCH (m:BambooMemory {name: $m}) RETURN m.language, m.normaliser", m=memory.name
    ).records[0]
    assert list(kept) == ["fr", normaliser("fr").fingerprint]


def test_no_page_of_the_one_that_gives_way_is_written_after_the_other_began(
    memory: Memory, driver: Driver
) -> None:
    client = GraphClient(driver, owns=False)

    class Late(GraphClient):
        """Reads a page, and then the other program does all of its work."""

        def read(self, name: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
            rows = super().read(name, parameters)
            if name == "memorise/page_chunks" and rows:
                memory.reindex(language="fr")
            return rows

    with pytest.raises(DatabaseError, match="another program"):
        reindex(Late(driver, owns=False), memory.name, words=normaliser("de"), progress=lambda _done: None)
    read = (
        "MATCH (:BambooMemory {name: $m}) MATCH (c:Chunk {memory: $m}) RETURN c.terms AS terms ORDER BY c.id"
    )
    found = driver.execute_query(read, m=memory.name).records
    reindex(client, memory.name, words=normaliser("fr"), progress=lambda _done: None)
    assert found == driver.execute_query(read, m=memory.name).records, "every chunk is in French already"


def test_one_that_was_killed_is_named_by_check_with_what_finishes_it(memory: Memory, bamboo: Bamboo) -> None:
    class Killed(Exception):
        pass

    def kill(_done: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        memory.reindex(language="de", progress=kill)
    assert [(fault.invariant, fault.where) for fault in memory.check()] == [("unfinished", "reindex")]
    run = bamboo("check", "--repair")
    assert run.returncode == 1
    assert "run bamboo reindex --language de" in run.stdout
    assert "needs the documents" not in run.stderr
    done = bamboo("reindex", "--language", "de")
    assert (done.returncode, done.stderr) == (0, "")
    assert "language 'de'" in done.stdout
    assert memory.check() == []


def test_tags_are_renamed_only_while_the_memory_is_being_indexed_anew(memory: Memory, driver: Driver) -> None:
    find = "MATCH (t:Tag {memory: $m}) RETURN t.id AS id, t.key AS key ORDER BY id LIMIT 1"
    before = driver.execute_query(find, m=memory.name).records[0]
    parameters = {"memory": memory.name, "normaliser": "none", "tags": [[before["id"], "other", "other"]]}
    client = GraphClient(driver, owns=False)
    assert client.write(lambda step: step.run("memorise/rename_tags", parameters)) == []
    assert driver.execute_query(find, m=memory.name).records[0] == before


@pytest.mark.parametrize("name", ["memorise/page_chunks", "memorise/page_tags", "inspect/check_page"])
def test_a_page_is_read_in_the_order_of_the_index(driver: Driver, name: str) -> None:
    sample = {"memory": "demo", "after": "", "limit": 10}
    plan = str(driver.execute_query(f"EXPLAIN {load(name).text}", sample).summary.plan)
    assert "Top@" not in plan
    assert "id > $after AND id < " in plan or "key > $after" in plan
