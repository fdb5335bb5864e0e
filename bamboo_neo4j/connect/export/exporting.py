"""Writing an export: the whole of a memory at one moment, though others write meanwhile."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from bamboo_neo4j.connect.export.files import whole_file
from bamboo_neo4j.connect.export.form import TYPES, VERSION, encode
from bamboo_neo4j.connect.export.reading import Reader
from bamboo_neo4j.errors import DatabaseError, InputError, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.connect.export.form import Record
    from bamboo_neo4j.graph.client import GraphClient, Row

TRIES = 5
"""How often an export begins while others write."""
LOOK = 20_000
"""Records after which it looks whether somebody wrote: the sooner it begins again."""

REINDEXING = "reindexing"
"""What the normaliser of a memory begins with whose words are being changed."""


class _Changed(Exception):
    """Somebody wrote to the memory that is being exported."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds: the number of records of each type."""

    memory: str
    tags: int
    documents: int
    chunks: int
    words: int
    edges: int
    facts: int
    coactivations: int
    episodes: int
    mindmaps: int


def export_memory(client: GraphClient, memory: str, *, path: str | Path | IO[bytes]) -> Exported:
    """Write the whole of `memory` to the file `path`, or to standard output (`-`).

    Two exports of an unchanged memory are the same bytes. Raises NotFound when there is no such memory,
    InputError when the file cannot be written or an import into the memory is unfinished, and
    DatabaseError when others wrote during each of TRIES tries.
    """
    head(client, memory)
    for _attempt in range(TRIES):
        try:
            with whole_file(path) as file:
                return _write(client, memory, file=file)
        except _Changed:
            continue
    raise DatabaseError(
        f"the memory {memory!r} was written to while it was exported, {TRIES} times",
        hint="export it when nothing writes to it; nothing was exported",
    )


def head(client: GraphClient, memory: str) -> Row:
    """Read what the first line is made from; raises NotFound or InputError where nothing can be exported."""
    rows = client.read("export/memory", {"memory": memory})
    if not rows or rows[0]["wiping"]:
        raise NotFound(f"there is no memory {memory!r}", hint="bamboo memories lists them")
    if rows[0]["importing"]:
        raise InputError(
            f"an import into the memory {memory!r} is unfinished",
            hint="run the same import again; it goes on from where it stopped",
        )
    if rows[0]["normaliser"].startswith(REINDEXING):
        raise InputError(
            f"the memory {memory!r} is being indexed anew", hint="bamboo reindex goes on with it"
        )
    return rows[0]


def _write(client: GraphClient, memory: str, *, file: IO[bytes]) -> Exported:
    row = head(client, memory)
    file.write(encode(_first_line(memory, row)))
    counts: Counter[str] = Counter()
    for number, record in enumerate(_records(client, memory, row)):
        if number % LOOK == 0:
            _unchanged(client, memory, row)
        counts[record["type"]] += 1
        file.write(encode(record))
    file.write(encode({"type": "end", **{kind: counts[kind] for kind in TYPES}}))
    _unchanged(client, memory, row)
    return Exported(memory, *(counts[kind] for kind in TYPES))


def _records(client: GraphClient, memory: str, row: Row) -> Iterator[Record]:
    """Yield the records; what looks like damage while others write is no damage."""
    try:
        yield from Reader(client, memory).records()
    except DatabaseError:
        _unchanged(client, memory, row)
        raise


def _unchanged(client: GraphClient, memory: str, row: Row) -> None:
    if head(client, memory)["writes"] != row["writes"]:
        raise _Changed


def _first_line(memory: str, row: Row) -> Record:
    names = ("language", "normaliser", "createdAt", "cycle", "swept", "sweeping", "chunks", "terms")
    rule = {} if row["floor"] is None else {"floor": row["floor"]}
    values = {name: row[name] for name in names}
    return {"bamboo": "export", "version": VERSION, "memory": memory, **values, **rule}
