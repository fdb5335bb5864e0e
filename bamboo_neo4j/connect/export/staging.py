"""The stage: what a file holds, on disk, between reading it whole and writing it to the graph.

A file is read once, so that it may come through a pipe, and cannot change between the two.
"""

from __future__ import annotations

import json
import sqlite3
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from bamboo_neo4j.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from bamboo_neo4j.connect.export.form import Record

CACHE = 32 * 1024
"""Kilobytes of the stage kept in memory."""
RECENT = 20_000
"""Tags kept at hand."""

_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
CREATE TABLE tag (key TEXT PRIMARY KEY, name TEXT, display TEXT) WITHOUT ROWID;
CREATE TABLE document (number INTEGER PRIMARY KEY, body TEXT);
CREATE TABLE chunk (number INTEGER PRIMARY KEY, document INTEGER, name TEXT UNIQUE, id TEXT, body TEXT);
CREATE INDEX chunk_document ON chunk (document, number);
CREATE TABLE record (number INTEGER PRIMARY KEY, type TEXT, body TEXT);
CREATE TABLE question (id TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class Stage:
    """Records on disk, looked up by key; use it in a `with` block, which removes it at the end."""

    def __init__(self) -> None:
        # a database without a name is a file without a name: nothing is left of it, whatever happens
        self._sql = sqlite3.connect("", isolation_level=None)
        self._sql.executescript(f"PRAGMA cache_size = -{CACHE};" + _TABLES)
        self._sql.execute("BEGIN")
        self._document = 0
        self._tag = lru_cache(maxsize=RECENT)(self._read_tag)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sql.close()
        if isinstance(error, sqlite3.Error):
            raise InputError(
                f"the file cannot be laid out on disk: {error}",
                hint="is there room in the folder for temporary files (TMPDIR)? nothing was imported",
            ) from error

    def add_tag(self, key: str, name: str, display: str) -> None:
        """Keep a tag."""
        self._sql.execute("INSERT INTO tag VALUES (?, ?, ?)", (key, name, display))

    def tag(self, key: str) -> tuple[str, str] | None:
        """Return name and display of a tag, or None."""
        return self._tag(key)

    def _read_tag(self, key: str) -> tuple[str, str] | None:
        row = self._sql.execute("SELECT name, display FROM tag WHERE key = ?", (key,)).fetchone()
        return row and (str(row[0]), str(row[1]))

    def add_document(self, body: Record) -> None:
        """Keep a document; the chunks added next are its own."""
        self._document += 1
        self._sql.execute("INSERT INTO document VALUES (?, ?)", (self._document, _text(body)))

    def add_chunk(self, body: Record, *, chunk_id: str) -> None:
        """Keep a chunk of the last document under its name and the id it will have."""
        row = (self._document, body["id"], chunk_id, _text(body))
        self._sql.execute("INSERT INTO chunk (document, name, id, body) VALUES (?, ?, ?, ?)", row)

    def chunk_id(self, name: str) -> str | None:
        """Return the id a chunk will have, by its name in the file."""
        row = self._sql.execute("SELECT id FROM chunk WHERE name = ?", (name,)).fetchone()
        return row and str(row[0])

    def add_question(self, question: str) -> bool:
        """Note the id of a question; return whether it is new."""
        cursor = self._sql.execute("INSERT OR IGNORE INTO question VALUES (?)", (question,))
        return cursor.rowcount == 1

    def add(self, body: Record) -> None:
        """Keep a record of another type."""
        self._sql.execute("INSERT INTO record (type, body) VALUES (?, ?)", (body["type"], _text(body)))

    def documents(self) -> Iterator[tuple[int, Record]]:
        """Yield number and body of each document in order."""
        yield from self._rows("SELECT number, body FROM document ORDER BY number", ())

    def chunks(self, document: int) -> Iterator[tuple[str, Record]]:
        """Yield id and body of each chunk of a document in order."""
        yield from self._rows("SELECT id, body FROM chunk WHERE document = ? ORDER BY number", (document,))

    def order(self, document: int) -> tuple[str, ...]:
        """Return the ids of all chunks of a document."""
        query = "SELECT id FROM chunk WHERE document = ? ORDER BY number"
        return tuple(str(row[0]) for row in self._sql.execute(query, (document,)))

    def records(self, *types: str) -> Iterator[Record]:
        """Yield the bodies of the records of some types in order."""
        for kind in types:
            query = "SELECT number, body FROM record WHERE type = ? ORDER BY number"
            yield from (body for _number, body in self._rows(query, (kind,)))

    def _rows(self, query: str, values: Iterable[object]) -> Iterator[tuple[Any, Record]]:
        for first, body in self._sql.execute(query, tuple(values)):
            yield first, json.loads(body)


def _text(body: Record) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
