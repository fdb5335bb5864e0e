"""Recall on a real server, seen from outside: what it asks for, and the memory it should agree with."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bamboo_neo4j import Memory
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.memorise.rules import tag_chunk
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.normalise import chunk_terms, normaliser
from bamboo_neo4j.recall import retrieve
from bamboo_neo4j.recall.retrieve import Request
from tests.graph.drafts import draft
from tests.reference import ReferenceMemory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from neo4j import Driver

    from bamboo_neo4j.recall.cues import Cues
    from bamboo_neo4j.records import Document, Recall
    from tests.graph.drafts import Content

ENGLISH = normaliser("en")
EVERYTHING = 10_000


@dataclass
class Asked:
    """A reader that passes everything on and keeps what was asked and answered."""

    client: GraphClient
    names: list[str] = field(default_factory=list)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __call__(self, name: str, parameters: Mapping[str, object], /) -> list[dict[str, Any]]:
        rows = self.client.read(name, parameters)
        self.names.append(name)
        self.rows[name] = rows
        return rows


def ask(driver: Driver, memory: str, question: str, **options: Any) -> Recall:  # noqa: ANN401
    """Recall without the façade."""
    return recall(Asked(GraphClient(driver, owns=False)), memory, question, **options)


def recall(asked: Asked, memory: str, question: str, **options: Any) -> Recall:  # noqa: ANN401
    """Recall through a reader that keeps what was asked."""
    request = Request(question=question, memory=memory, **options)
    return retrieve.recall(request, read=asked, normaliser=ENGLISH)


@contextmanager
def remembered(driver: Driver, documents: Iterable[Document]) -> Iterator[str]:
    """Put documents into a memory of its own; give its name; forget it."""
    name = f"test-{uuid.uuid4().hex[:16]}"
    with Memory.open(name, driver=driver) as memory:
        memory.remember(documents)
        try:
            yield name
        finally:
            memory.forget_all()


@contextmanager
def written(driver: Driver, documents: Mapping[str, Content]) -> Iterator[str]:
    """Write a memory by hand: for each document its chunks, for each of those its tags, the first primary."""
    name = f"test-{uuid.uuid4().hex[:16]}"
    client = GraphClient(driver, owns=False)
    schema.prepare(client)
    schema.open_memory(client, name, language="en", normaliser=ENGLISH.fingerprint)
    writer = Writer(client, memory=name, normaliser=ENGLISH.fingerprint)
    writer.write([draft(name, document, content) for document, content in documents.items()])
    try:
        yield name
    finally:
        wipe(client, name)


class Given(ReferenceMemory):
    """A memory in dictionaries that takes the index's own choice of candidates, and says when it had one."""

    given: list[str] | None = None

    def found(self, cues: Cues) -> list[str]:
        return super().found(cues) if self.given is None else self.given


def reference(driver: Driver, memory: str) -> Given:
    """Build the reference of a memory from its texts alone."""
    mirror = Given()
    rows = driver.execute_query(
        """MATCH (c:Chunk {memory: $memory})-[:FROM_DOCUMENT]->(d)
        RETURN c.id AS id, d.title AS title, c.text AS text, c.tokens AS tokens ORDER BY id""",
        memory=memory,
    ).records
    for row in rows:
        tags = tag_chunk(row["text"], title=row["title"], normaliser=ENGLISH, tokens=row["tokens"])
        terms, length = chunk_terms(ENGLISH, row["title"], row["text"])
        mirror.put(row["id"], tags, terms=terms, length=length)
    return mirror


def everything(driver: Driver, memory: str) -> list[str]:
    """Dump a memory: every node and relationship of it, with labels and all properties, sorted."""
    nodes = """MATCH (n) WHERE n.memory = $memory OR (n:BambooMemory AND n.name = $memory)
        RETURN labels(n) AS kind, properties(n) AS properties, null AS source, null AS target"""
    edges = """MATCH (a)-[r]->(b) WHERE a.memory = $memory
        RETURN type(r) AS kind, properties(r) AS properties, coalesce(a.id, a.name) AS source,
            coalesce(b.id, b.name) AS target"""
    rows = [row for query in (nodes, edges) for row in driver.execute_query(query, memory=memory).records]
    return sorted(repr(sorted(row.data().items(), key=str)) for row in rows)
