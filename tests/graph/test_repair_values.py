"""A value that memorising writes may be damaged: `check` names it, `repair` mends it, commands survive it."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.cli.app import json_text
from bamboo_neo4j.cli.recall import recall_json
from bamboo_neo4j.errors import DamagedGraph, InputError, NotFound, NothingRecalled, OtherWordRules
from bamboo_neo4j.records import Document
from bamboo_neo4j.settings import read_settings
from tests.graph.drafts import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer

TEXT = "\n\n".join(f"Ada Kern met Leo Brandt in Port Linnet in {year}. " * 12 for year in range(1900, 1904))
DOCUMENTS = (
    Document("a", "", "Letters", TEXT, "text/plain"),
    Document("b", "", "", "Leo Brandt built the lighthouse of Port Linnet.", "text/plain"),
)
CHUNK = "MATCH (n:Chunk {memory: $m, ordinal: 1})"
TAG = "MATCH (n:Tag {memory: $m, key: 'ada kern'})"
LINK = "MATCH (:Chunk {memory: $m, ordinal: 1})-[n:TAGGED]->(:Tag {key: 'ada kern'})"
DOCUMENT = "MATCH (n:Document {memory: $m, id: 'a'})"
WORD = "MATCH (n:Word {memory: $m}) WITH n ORDER BY n.name LIMIT 1"
MEMORY = "MATCH (n:BambooMemory {name: $m})"
EDGE = "MATCH (:Tag {memory: $m, key: 'ada kern'})-[n:CO_OCCURS]-() WITH n ORDER BY n.src, n.dst LIMIT 1"

NAN, INF = "0.0 / 0.0", "1.0 / 0.0"
DERIVED = (
    (CHUNK, "tokens", ("null", "'many'", NAN, "0")),
    (CHUNK, "length", ("'many'", NAN)),
    (CHUNK, "terms", ("null", "[1, 2]")),
    (CHUNK, "recipe", ("5",)),
    (TAG, "name", ("null", "5")),
    (TAG, "display", ("null", "[1, 2]")),
    (TAG, "key", ("null", "5", "''")),
    (TAG, "id", ("null", "'many'")),
    (TAG, "memory", ("null",)),
    (WORD, "df", ("'many'", "2.5", NAN)),
    (EDGE, "weight", ("[1, 2]", "2.5")),
    (EDGE, "rank", ("'many'", INF)),
    (MEMORY, "writes", ("null", "'many'")),
    (MEMORY, "chunks", ("'many'", NAN)),
    (MEMORY, "terms", ("null", "[1, 2]")),
    (MEMORY, "cycle", ("null", NAN)),
    (MEMORY, "swept", ("'many'", "7")),
    (MEMORY, "createdAt", ("'yesterday'",)),
    (MEMORY, "language", ("null", "'xx'")),
    (DOCUMENT, "ingestedAt", ("null", "date('2026-01-31')")),
    (DOCUMENT, "memory", ("null",)),
)
"""Damage that leaves enough to mend everything: what is changed, its property, and its values in Cypher."""

FROM_THE_SOURCE = (
    (CHUNK, "text", ("null", "''")),
    (CHUNK, "id", ("null",)),
    (LINK, "salience", ("null", "'many'", NAN)),
    (LINK, "kind", ("null", "'colour'")),
    (DOCUMENT, "title", ("5",)),
    (DOCUMENT, "mediaType", ("null",)),
    (DOCUMENT, "contentHash", ("5",)),
    (DOCUMENT, "tagger", ("5",)),
    (DOCUMENT, "uri", ("null",)),
)
"""Damage that only the document itself can mend: until it is ingested again it is unfinished."""


def each_value(kinds: tuple[tuple[str, str, tuple[str, ...]], ...]) -> list[tuple[str, str, str]]:
    return [(pattern, name, value) for pattern, name, values in kinds for value in values]


def named(damage: tuple[str, str, str]) -> str:
    pattern, name, value = damage
    return f"{pattern.partition(' {')[0].rpartition(':')[2]}-{name}-{value}"


@pytest.fixture(scope="module")
def opened(server: RunningServer) -> Iterator[Memory]:
    flags = {"uri": server.uri, "username": server.username, "password": server.password}
    with Memory.open("test-values", settings=read_settings(flags, environ={})) as memory:
        yield memory
        memory.forget_all()


@pytest.fixture
def memory(opened: Memory) -> Memory:
    """A memory that is whole; it is made anew only where the test before it failed."""
    if opened.check() or len(list(opened.documents())) != len(DOCUMENTS) or opened.stats()["unfinished"]:
        opened.forget_all()
    remember(opened)
    return opened


def remember(memory: Memory) -> None:
    memory.remember(DOCUMENTS, chunk_tokens=(50, 100))


def plant(driver: Driver, memory: Memory, damage: tuple[str, str, str]) -> None:
    pattern, name, value = damage
    driver.execute_query(f"{pattern} SET n.{name} = {value}", m=memory.name)


COMMANDS: dict[str, Callable[[Memory], object]] = {
    "recall": lambda memory: recall_json(memory.recall("Who met Leo Brandt with Ada Kern?")),
    "recall as the paper": lambda memory: recall_json(memory.recall("Ada Kern", ranking="paper")),
    "neighbours": lambda memory: memory.neighbours("Ada Kern", second=3),
    "tags": lambda memory: list(memory.tags()),
    "documents": lambda memory: list(memory.documents()),
    "memories": lambda memory: list(memory.memories()),
    "stats": lambda memory: memory.stats(),
    "export": lambda memory: memory.export(io.BytesIO()),
}


def survived(name: str, command: Callable[[Memory], object], memory: Memory) -> None:
    """Run a command: it gives valid JSON, or ends in a line that says to check."""
    with suppress(DamagedGraph, OtherWordRules, NothingRecalled, NotFound, InputError):
        shown = json_text(command(memory))
        assert json.loads(shown) is not None, name


def all_survive(memory: Memory) -> None:
    with Memory.open(memory.name, settings=memory._settings) as anew:  # noqa: SLF001
        for name, command in COMMANDS.items():
            survived(name, command, anew)


@pytest.mark.parametrize("damage", each_value(DERIVED), ids=named)
def test_a_damaged_value_is_named_and_derived_again(
    memory: Memory, driver: Driver, damage: tuple[str, str, str]
) -> None:
    before = facts(driver, memory.name)
    plant(driver, memory, damage)
    faults = memory.check()
    assert faults
    assert all(fault.where and fault.expected and fault.found for fault in faults)
    all_survive(memory)
    assert memory.repair() > 0
    assert memory.check() == []
    assert facts(driver, memory.name) == before


@pytest.mark.parametrize("damage", each_value(FROM_THE_SOURCE), ids=named)
def test_what_only_the_source_can_tell_is_mended_by_ingesting_it_again(
    memory: Memory, driver: Driver, damage: tuple[str, str, str]
) -> None:
    before = facts(driver, memory.name)
    plant(driver, memory, damage)
    assert memory.check()
    all_survive(memory)
    assert memory.repair() > 0
    assert memory.check() == []
    assert [row["id"] for row in memory.stats()["unfinished"]] == ["a"]  # type: ignore[attr-defined]
    remember(memory)
    assert memory.check() == []
    assert facts(driver, memory.name) == before
