"""Reading a memory as records, page by page, in an order that does not depend on the database."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.connect.export.form import LEARNED, PENDING, Record, chunk_name, pack, without_memory
from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.memorise.preparing import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bamboo_neo4j.graph.client import GraphClient, Row

TAGS, DOCUMENTS, WORDS, FACTS, EPISODES = 1000, 500, 5000, 1000, 100
"""Rows of one page."""
CHUNKS = 200
"""Chunks of one page, of several short documents or a stretch of a long one."""
EDGES = 20_000
"""Edges of one page, roughly: a tag with more comes alone."""
LAST = 2**62

_FIRST_WIDE = "\ue000"


class Reader:
    """Reads one memory; every method yields the records of a type in order."""

    def __init__(self, client: GraphClient, memory: str) -> None:
        self._client = client
        self._memory = memory

    def records(self) -> Iterator[Record]:
        """Yield all records of the memory."""
        yield from self.tags()
        yield from self.documents()
        yield from self.words()
        yield from self.edges()
        yield from self.facts()
        yield from self.coactivations()
        yield from self.episodes()
        yield from self.mind_maps()

    def tags(self) -> Iterator[Record]:
        """Yield the tags by key."""
        for row in self._tag_rows():
            yield {"type": "tag", "key": row["key"], "name": row["name"], "display": row["display"]}

    def documents(self) -> Iterator[Record]:
        """Yield the documents by id, each followed by its chunks."""
        for rows in _blocks(self._pages("export/documents", "id", DOCUMENTS), "chunks", CHUNKS):
            chunks = self._chunks(rows)
            for place, row in enumerate(rows):
                yield _document(row)
                yield from self._numbered(row, islice(chunks, row["chunks"]), place)

    def words(self) -> Iterator[Record]:
        """Yield the words by name."""
        for row in self._pages("export/words", "name", WORDS):
            yield {"type": "word", **row}

    def edges(self) -> Iterator[Record]:
        """Yield the pairs by their two keys, the smaller first."""
        for first, (second, weight, *learned) in self._pairs("export/edges"):
            values = {name: value for name, value in zip(LEARNED, learned, strict=True) if value is not None}
            yield {"type": "edge", "tags": [first, second], "weight": weight, **values}

    def coactivations(self) -> Iterator[Record]:
        """Yield the tags that were used together with no edge yet, as pairs."""
        for first, (second, count, *learned) in self._pairs("export/coactivations"):
            values = {name: value for name, value in zip(PENDING, learned, strict=True) if value is not None}
            yield {"type": "coactivation", "tags": [first, second], "count": count, **values}

    def facts(self) -> Iterator[Record]:
        """Yield the facts by id."""
        for row in self._by_id("export/facts", FACTS):
            ends = {"subject": row["subject"], "object": row["object"]}
            yield {"type": "fact", **self._named(row), **ends, "properties": _kept(row["properties"])}

    def episodes(self) -> Iterator[Record]:
        """Yield the episodes by id."""
        for row in self._by_id("export/episodes", EPISODES):
            properties = _kept(row["properties"])
            for name in ("src", "dst"):
                if name in properties:
                    properties[name] = row[name]
            if "facts" in properties:
                properties["facts"] = [without_memory(self._memory, fact) for fact in properties["facts"]]
            chunks = _chunk_names(row["chunks"])
            yield {"type": "episode", **self._named(row), "properties": properties, "chunks": chunks}

    def mind_maps(self) -> Iterator[Record]:
        """Yield the mind maps by id, each with its questions, parents first."""
        for row in self._by_id("export/mind_maps", EPISODES):
            questions = self._client.read("export/questions", {"map": row["id"]})
            properties = _kept(row["properties"])
            tree = list(self._tree(questions))
            yield {"type": "mindmap", **self._named(row), "properties": properties, "questions": tree}

    def _tree(self, rows: list[Row]) -> Iterator[Record]:
        children: dict[str | None, list[Row]] = {}
        for row in rows:
            children.setdefault(row["parent"], []).append(row)
        waiting = children.pop(None, [])
        while waiting:
            row = waiting.pop(0)
            parent = row["parent"]
            yield {
                **self._named(row),
                "parent": parent and without_memory(self._memory, parent),
                "order": row["order"],
                "properties": _kept(row["properties"]),
                "chunks": _chunk_names(row["chunks"]),
            }
            waiting[:0] = children.pop(row["id"], [])

    def _chunks(self, documents: list[Row]) -> Iterator[Row]:
        ids = [row["id"] for row in documents if row["chunks"]]
        places = [place for place, row in enumerate(documents) if row["chunks"]]
        long = len(ids) == 1
        top = max((row["last"] or 0 for row in documents if row["chunks"]), default=-1)
        first = 0
        while ids and first <= top:
            last = first + CHUNKS - 1 if long else LAST
            parameters = {"memory": self._memory, "documents": ids, "first": first, "last": last}
            for row in self._client.read("export/chunks", parameters):
                yield {**row, "place": places[row["place"]]}
            first = last + 1

    def _numbered(self, document: Row, chunks: Iterable[Row], place: int) -> Iterator[Record]:
        """Give each chunk its number among those of the document with the same text."""
        seen: Counter[str] = Counter()
        for row in chunks:
            if row["place"] != place:
                raise self._damaged(f"the document {document['id']!r} has chunks without a place")
            same = digest(row["text"])
            yield _chunk(document["id"], chunk_name(document["id"], row["text"], seen[same]), row)
            seen[same] += 1
        if seen.total() != document["chunks"]:
            raise self._damaged(f"the document {document['id']!r} has chunks without a place")

    def _pairs(self, statement: str) -> Iterator[tuple[str, list[Any]]]:
        for rows in _blocks(self._tag_rows(), "degree", EDGES):
            wanted = [[row["id"], max(row["key"], default="") >= _FIRST_WIDE] for row in rows]
            found = {row["id"]: row["edges"] for row in self._client.read(statement, {"tags": wanted})}
            for row in rows:
                key = row["key"]
                edges = sorted((edge for edge in found.get(row["id"], ()) if edge[0] > key), key=_other)
                for earlier, edge in zip([None, *edges], edges, strict=False):
                    if earlier and earlier[0] == edge[0]:
                        raise self._damaged(f"there are two edges between {key!r} and {edge[0]!r}")
                    yield key, edge

    def _tag_rows(self) -> Iterator[Row]:
        return self._pages("export/tags", "key", TAGS)

    def _pages(self, statement: str, column: str, limit: int) -> Iterator[Row]:
        """Yield the rows of a statement that takes `memory` and goes on after a text."""
        return self._paged(
            lambda after: self._client.read(
                statement, {"memory": self._memory, "after": after, "limit": limit}
            ),
            column=column,
            after="",
        )

    def _by_id(self, statement: str, limit: int) -> Iterator[Row]:
        """Yield the rows of a statement over ids, which begin with the memory's name and a colon."""
        until = f"{self._memory};"  # the character after the colon
        return self._paged(
            lambda after: self._client.read(statement, {"after": after, "until": until, "limit": limit}),
            column="id",
            after=f"{self._memory}:",
        )

    def _paged(self, read: Callable[[str], list[Row]], *, column: str, after: str) -> Iterator[Row]:
        while rows := read(after):
            for row in rows:
                if row[column] <= after:
                    raise self._damaged(f"{row[column]!r} came after {after!r}")
                after = row[column]
                yield row

    def _named(self, row: Row) -> Record:
        return {"id": without_memory(self._memory, row["id"])}

    def _damaged(self, reason: str) -> DatabaseError:
        return DatabaseError(
            f"the graph of the memory {self._memory!r} is damaged: {reason}",
            hint="bamboo check says where; nothing was exported",
        )


def _blocks(rows: Iterable[Row], column: str, most: int) -> Iterator[list[Row]]:
    """Yield rows in blocks whose sum of `column` stays under `most`; a larger row comes alone."""
    block: list[Row] = []
    total = 0
    for row in rows:
        if block and (total + row[column] > most or len(block) >= TAGS):
            yield block
            block, total = [], 0
        block.append(row)
        total += row[column]
    if block:
        yield block


def _document(row: Row) -> Record:
    texts = {column: row[column] or "" for column in ("id", "uri", "title", "mediaType", "tagger")}
    others = {column: row[column] for column in ("contentHash", "unfinished", "ingestedAt")}
    return {"type": "document", **texts, **others}


def _chunk(document: str, name: str, row: Row) -> Record:
    tags = [
        {"key": key, "kind": kind, "salience": salience, "about": about}
        for key, kind, salience, about in sorted(row["tags"], key=_other)
    ]
    body = {column: row[column] for column in ("ordinal", "text", "tokens", "terms", "length")}
    return {"type": "chunk", "id": name, "document": document, **body, "tags": tags}


def _chunk_names(chunks: Iterable[tuple[str, str, int]]) -> list[str]:
    return sorted(chunk_name(document, text, number) for document, text, number in chunks)


def _kept(properties: Record) -> Record:
    return pack({name: value for name, value in properties.items() if name not in {"id", "memory"}})


def _other(edge: list[Any]) -> str:
    return str(edge[0])
