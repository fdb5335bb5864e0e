"""Importing: a file that was proved whole goes into a memory, in bounded transactions of the write protocol.

Documents first, whose chunks give every weight and word; then what was learned on edges, facts, episodes and
mind maps. Whatever is there already is left as it is, so an import that was cut short is simply run again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING

from bamboo_neo4j.connect.export.restoring import Clock, Restorer
from bamboo_neo4j.connect.export.staging import Stage
from bamboo_neo4j.connect.export.validating import Head, read_whole
from bamboo_neo4j.errors import BambooError, InputError, UsageError
from bamboo_neo4j.graph import schema
from bamboo_neo4j.memorise.difference import pairs_of, portions
from bamboo_neo4j.memorise.ingest import CHUNKS
from bamboo_neo4j.memorise.preparing import SHARE
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.memorise.writing import PAIRS, Draft, Writer
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Chunk, Document, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.connect.export.form import Record
    from bamboo_neo4j.graph.client import GraphClient, Transaction

GROUP = 64
"""Documents looked up together to find those that are there already."""
UNDER_WAY = "being imported"
"""Why a document is not whole while an import is writing it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import wrote; `known` documents were there already and were left alone."""

    memory: str
    documents: int
    known: int
    chunks: int
    edges: int
    facts: int
    coactivations: int
    episodes: int
    mindmaps: int


def import_memory(
    client: GraphClient, memory: str, *, path: str | Path | IO[bytes], merge: bool = False
) -> Imported:
    """Read an export (a file or `-`) into `memory`, which is made if it is new and must be empty if not.

    With `merge` it may hold something: documents, facts, episodes and mind maps that it has stay as they
    are, and an edge's learning is taken where nothing was learned on it. The file is proved whole before
    anything is written. Raises InputError for a file that cannot be used, UsageError for a memory that
    is not empty or kept in another language; run again after any other error, it goes on.
    """
    with Stage() as stage:
        head = read_whole(path, stage, memory=memory)
        _check_words(head)
        schema.prepare(client)
        if schema.read_state(client, memory).wiping:
            wipe(client, memory)
        clock = client.write(lambda transaction: _begin(transaction, memory, head=head, merge=merge))
        done = _write_documents(client, memory, head=head, stage=stage)
        restored = Restorer(client, memory, stage=stage, clock=clock, normaliser=head.normaliser).run()
        client.write(lambda transaction: _finish(transaction, memory, head))
    return Imported(memory, done["documents"], done["known"], done["chunks"], **restored)


def _check_words(head: Head) -> None:
    """Refuse a file whose words were normalised by other rules: its terms would not be found."""
    try:
        ours = normaliser(head.language).fingerprint
    except BambooError as error:
        raise InputError(f"the language of the file: {error.message}", hint=error.hint) from None
    if ours != head.normaliser:
        raise InputError(
            f"the file was written with other word rules (normaliser {head.normaliser}, here {ours})",
            hint="import it with the packages it was written with, or ingest its documents again",
        )


def _begin(transaction: Transaction, memory: str, *, head: Head, merge: bool) -> Clock:
    """Mark the memory; return how its clock stands beside the file's."""
    words = {"memory": memory, "language": head.language, "normaliser": head.normaliser}
    row = transaction.run("import/open_memory", words)[0]
    if row["importing"] not in {None, head.digest}:
        raise UsageError(
            f"an import of another file into the memory {memory!r} is unfinished",
            hint=f"run that one again, or take it back: bamboo memories forget {memory}",
        )
    empty = not transaction.run("import/contents", {"memory": memory})[0]["labels"]
    if not empty and not merge and row["importing"] is None:
        raise UsageError(
            f"the memory {memory!r} is not empty",
            hint="take a new or empty one; bamboo import --merge adds what a file holds to one that is not",
        )
    if not empty and (row["language"], row["normaliser"]) != (head.language, head.normaliser):
        raise UsageError(
            f"the memory {memory!r} is kept in {row['language']!r} with normaliser {row['normaliser']}, "
            f"the file in {head.language!r} with {head.normaliser}",
            hint="import it into another memory",
        )
    transaction.run("import/begin", {"memory": memory, "digest": head.digest})
    if not empty:
        return Clock(int(row["swept"]) - head.swept, now=int(row["cycle"]))
    clock = {"cycle": head.cycle, "swept": head.swept, "sweeping": head.sweeping, "floor": head.floor}
    transaction.run("import/restore_memory", {**words, **clock, "createdAt": head.created_at})
    return Clock(0, now=head.cycle)


def _finish(transaction: Transaction, memory: str, head: Head) -> None:
    words = {"memory": memory, "language": head.language, "normaliser": head.normaliser}
    transaction.run("import/open_memory", words)
    transaction.run("import/finish", {"memory": memory, "digest": head.digest})


def _write_documents(client: GraphClient, memory: str, *, head: Head, stage: Stage) -> Counter[str]:
    writer = Writer(client, memory=memory, normaliser=head.normaliser)
    done: Counter[str] = Counter()
    batch: list[Draft] = []
    for draft in _drafts(client, memory, stage=stage, done=done):
        if batch and _full([*batch, draft]):
            _write(writer, batch, done)
            batch = []
        batch.append(draft)
    if batch:
        _write(writer, batch, done)
    return done


def _write(writer: Writer, batch: list[Draft], done: Counter[str]) -> None:
    written = writer.write(batch)
    last = [draft.document.id for draft in batch if draft.unfinished != UNDER_WAY]
    others = written.conflicts.keys() | written.unchanged
    done["known"] += sum(document in others for document in last)
    done["documents"] += sum(document not in others for document in last)
    done["chunks"] += written.chunks


def _full(batch: list[Draft]) -> bool:
    chunks = [chunk for draft in batch for chunk in draft.chunks]
    pairs = sum(pairs_of(len(chunk.tags)) for chunk in chunks)
    return pairs > PAIRS or len(chunks) > CHUNKS or len(batch) > CHUNKS


def _drafts(client: GraphClient, memory: str, *, stage: Stage, done: Counter[str]) -> Iterator[Draft]:
    """Yield the documents that are not there yet, a long one in shares."""
    documents = stage.documents()
    while group := list(islice(documents, GROUP)):
        ids = [body["id"] for _number, body in group]
        rows = client.read("import/known_documents", {"memory": memory, "documents": ids})
        known = {row["id"] for row in rows if row["unfinished"] != UNDER_WAY}
        for number, body in group:
            if body["id"] in known:
                done["known"] += 1
            else:
                yield from _shares(number, body, stage)


def _shares(number: int, body: Record, stage: Stage) -> Iterator[Draft]:
    whole = body["contentHash"] is not None
    # the chunks of a document that is not whole may be of several recipes: an ingest looks at them again
    recipe = body["tagger"] if whole else ""
    chunks = (_chunk(chunk_id, chunk, stage, recipe=recipe) for chunk_id, chunk in stage.chunks(number))
    parts = _parts(chunks)
    share = next(parts, ())
    for following in parts:
        yield _draft(body, share, unfinished=UNDER_WAY)
        share = following
    order = stage.order(number) if whole else None
    yield _draft(body, share, order=order, unfinished=None if whole else body["unfinished"])


def _parts(chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, ...]]:
    while share := tuple(islice(chunks, SHARE)):
        yield from portions(share, PAIRS)


def _draft(
    body: Record, chunks: tuple[Chunk, ...], *, order: tuple[str, ...] | None = None, unfinished: str | None
) -> Draft:
    document = Document(body["id"], body["uri"], body["title"], "", body["mediaType"])
    return Draft(
        document=document,
        content_hash=body["contentHash"] or "",
        tagger=body["tagger"],
        chunks=chunks,
        order=order,
        unfinished=unfinished,
        ingested_at=body["ingestedAt"],
    )


def _chunk(chunk_id: str, body: Record, stage: Stage, *, recipe: str) -> Chunk:
    return Chunk(
        id=chunk_id,
        ordinal=body["ordinal"],
        text=body["text"],
        tokens=body["tokens"],
        terms=body["terms"],
        length=body["length"],
        tags=tuple(_tag(tag, stage) for tag in body["tags"]),
        recipe=recipe,
    )


def _tag(tag: Record, stage: Stage) -> Tag:
    name, display = stage.tag(tag["key"]) or (tag["key"], tag["key"])
    return Tag(tag["key"], name, display, tag["kind"], tag["salience"], about=tag["about"])
