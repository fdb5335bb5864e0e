"""Small documents made by hand for tests of writing, and the graph they give as sorted facts."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.memorise.writing import Draft
from bamboo_neo4j.records import Chunk, Document, Tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from neo4j import Driver

Content = list[list[str]]
"""A document: for each chunk the keys of its tags; its terms are the tags as words."""


def draft(memory: str, document: str, content: Content, *, uri: str = "") -> Draft:
    """Make the draft of a whole document."""
    seen: Counter[str] = Counter()
    chunks = []
    for ordinal, tags in enumerate(content):
        text = " ".join(tags)
        chunks.append(
            Chunk(
                id=f"{memory}:{_digest(document, text, str(seen[text]))}",
                ordinal=ordinal,
                text=text,
                tokens=len(tags),
                terms=" ".join(tags),
                length=len(tags),
                recipe="hand",
                tags=tuple(
                    Tag(tag, tag, tag.upper(), "entity", 1.0, about=i == 0) for i, tag in enumerate(tags)
                ),
            )
        )
        seen[text] += 1
    return Draft(
        document=Document(id=document, uri=uri, title=document, text="", media_type="text/plain"),
        content_hash=_digest(repr(content)),
        tagger="hand",
        chunks=tuple(chunks),
        order=tuple(chunk.id for chunk in chunks),
    )


def weights(contents: Iterable[Content]) -> dict[tuple[str, str], int]:
    """Count by hand the chunks that hold each pair of tags."""
    counted: Counter[tuple[str, str]] = Counter()
    for content in contents:
        for tags in content:
            counted.update(combinations(sorted(set(tags)), 2))
    return dict(counted)


def stored_weights(driver: Driver, memory: str) -> dict[tuple[str, str], int]:
    """Read the pairs of a memory with their weights."""
    records = driver.execute_query(
        "MATCH (a:Tag {memory: $memory})-[r:CO_OCCURS]->(b) RETURN a.key AS a, b.key AS b, r.weight AS w",
        memory=memory,
    ).records
    return {(min(row["a"], row["b"]), max(row["a"], row["b"])): row["w"] for row in records}


_FACTS = (
    "MATCH (d:Document {memory: $memory}) RETURN 'document', d.id, d.title, d.contentHash",
    """MATCH (d:Document {memory: $memory})<-[:FROM_DOCUMENT]-(c:Chunk) OPTIONAL MATCH (c)-[:NEXT_CHUNK]->(n)
    RETURN 'chunk', d.id, c.id, c.ordinal, c.text, c.terms, c.length, n.id""",
    """MATCH (c:Chunk)-[r:TAGGED]->(t:Tag {memory: $memory})
    RETURN 'tagged', c.id, t.key, r.kind, r.salience, EXISTS { (c)-[:ABOUT]->(t) }""",
    "MATCH (w:Word {memory: $memory}) RETURN 'word', w.name, w.df",
    "MATCH (m:BambooMemory {name: $memory}) RETURN 'memory', m.chunks, m.terms, m.language",
    "MATCH (t:Tag {memory: $memory}) RETURN 'tag', t.key",
)


def facts(driver: Driver, memory: str) -> list[tuple[Any, ...]]:
    """Return everything of a memory that two equal graphs have in common, sorted."""
    found: list[tuple[Any, ...]] = [
        ("edge", *pair, weight) for pair, weight in stored_weights(driver, memory).items()
    ]
    for query in _FACTS:
        found += [tuple(record.values()) for record in driver.execute_query(query, memory=memory).records]
    return sorted(found, key=repr)


def contents(documents: Mapping[str, Content]) -> Sequence[Content]:
    """Return the contents of documents."""
    return list(documents.values())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
