"""Ingest: a stream of documents becomes a stream of transactions, with bounded memory.

One thread reads, cuts and tags while another writes. Where tagging waits on a server, a bounded pool
of threads tags ahead. An interruption lets the transaction under way finish: the graph is consistent,
and running the same ingest again goes on where it stopped.
"""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.difference import pairs_of, portions
from bamboo_neo4j.memorise.preparing import (
    Cut,
    Recipe,
    cut_document,
    known_piece,
    shares,
    tag_piece,
)
from bamboo_neo4j.memorise.tally import Skipped, Tally, conflict, one_line, shown
from bamboo_neo4j.memorise.writing import PAIRS, Draft, Writer, Written
from bamboo_neo4j.records import Chunk, Document, Failure, Remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bamboo_neo4j.graph.client import GraphClient, Row

CHUNKS = 200
"""Chunks in one transaction at most."""
GROUP = 64
"""Documents looked up together to find those that need no work."""
WORKERS = 8
"""Threads that tag where tagging waits on a server."""
ATTEMPTS = 3
"""Times to write a document anew that other processes change at the same time."""
LONGEST_ID = 4_000
"""Bytes of a document's id: Neo4j refuses an indexed string of about 8 kB, with the whole batch."""
FLUSH = 10.0
"""Seconds after which tags that cost model calls are written even if the batch is small."""


@dataclass(slots=True)
class _Share:
    """A share of a document whose chunks are being tagged."""

    document: Document
    content_hash: str
    cuts: tuple[Cut, ...]
    known: frozenset[str]
    order: tuple[str, ...] | None
    tagged: list[Future[Chunk] | Chunk]


class Ingest:
    """One ingest into one memory."""

    def __init__(
        self,
        client: GraphClient,
        recipe: Recipe,
        *,
        replace: bool = False,
        progress: Callable[[str, str], None] | None = None,
    ) -> None:
        self._client = client
        self._recipe = recipe
        self._replace = replace
        self._progress = progress or (lambda _document, _outcome: None)
        self._writer = Writer(client, memory=recipe.memory, normaliser=recipe.normaliser.fingerprint)
        self._batch: list[Draft] = []
        self._pending: Future[None] | None = None
        self._flushed = time.monotonic()
        self._seen: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self.tally = Tally()

    def run(self, documents: Iterable[Document | Failure]) -> Remembered:
        """Memorise `documents`; failures among them are counted and passed over.

        Raises ModelError when the model service is down and DatabaseError when Neo4j is: what was
        written until then stays, and `tally` says what it is.
        """
        workers = WORKERS if self._recipe.tagger.waits else 1
        with (
            ThreadPoolExecutor(1, "bamboo-write") as writing,
            ThreadPoolExecutor(workers, "bamboo-tag") as tagging,
        ):
            try:
                for share in self._ahead(self._shares(documents, tagging)):
                    self._collect(share, writing)
                self._flush(writing)
                self._wait()
            except BaseException:
                tagging.shutdown(wait=False, cancel_futures=True)
                raise
        return self.tally.remembered()

    def _shares(
        self, documents: Iterable[Document | Failure], tagging: ThreadPoolExecutor
    ) -> Iterator[_Share]:
        """Yield shares that are being tagged, for the documents that need work."""
        stream = iter(self._readable(documents))
        while group := list(islice(stream, GROUP)):
            known = self._look_up(group)
            for document, content in group:
                yield from self._share(document, content, row=known.get(document.id), tagging=tagging)

    def _readable(self, documents: Iterable[Document | Failure]) -> Iterator[tuple[Document, str]]:
        """Yield the documents that could be read with their content hash, each id once; count the others."""
        for document in documents:
            if isinstance(document, Skipped):
                self.tally.skipped.append(document)
                self._progress(document.source, "skipped")
            elif isinstance(document, Failure):
                self._fail(document.source, document)
            elif reason := _refused(document):
                self._fail(document.id, Failure(shown(document)[:200], reason))
            else:
                self.tally.warnings.extend(Failure(shown(document), text) for text in document.warnings)
                content = self._recipe.content_hash(document)
                if self._first(document, content):
                    self.tally.begun[document.id] = shown(document)
                    yield document, content

    def _first(self, document: Document, content: str) -> bool:
        earlier = self._seen.get(document.id)
        self._seen.setdefault(document.id, content)
        if earlier not in {None, content}:
            reason = f"another input of this run has the id {document.id!r} too"
            self._fail(f"{document.id} {content}", Failure(shown(document), reason))
        return earlier is None

    def _look_up(self, group: list[tuple[Document, str]]) -> dict[str, Row]:
        parameters = {"memory": self._recipe.memory, "documents": [document.id for document, _ in group]}
        return {row["id"]: row for row in self._client.read("memorise/known_documents", parameters)}

    def _share(
        self, document: Document, content: str, *, row: Row | None, tagging: ThreadPoolExecutor
    ) -> Iterator[_Share]:
        if row is not None and (row["contentHash"], row["uri"]) == (content, document.uri):
            self.tally.begun.pop(document.id, None)
            self._done(document, self.tally.unchanged, "unchanged")
            return
        if row is not None and row["uri"] != document.uri and not self._replace:
            self._fail(document.id, Failure(shown(document), conflict(row["uri"])))
            return
        try:
            cuts = cut_document(document, self._recipe)
            known = self._known(document, row, cuts)
            yield from self._tag(document, content, cuts=cuts, known=known, tagging=tagging)
        except InputError as error:
            self._fail(document.id, Failure(shown(document), one_line(error)))

    def _known(self, document: Document, row: Row | None, cuts: list[Cut]) -> frozenset[str]:
        """Return the ids of chunks that are stored with the tags this ingest would give them."""
        return (
            known_chunks(self._client, self._recipe, document=document, cuts=cuts)
            if row is not None
            else frozenset()
        )

    def _tag(
        self,
        document: Document,
        content: str,
        *,
        cuts: list[Cut],
        known: frozenset[str],
        tagging: ThreadPoolExecutor,
    ) -> Iterator[_Share]:
        waits = self._recipe.tagger.waits
        order = tuple(piece.id for piece in cuts)
        prepared = [] if waits else [self._tagged(piece, document, known) for piece in cuts]
        for share, last in shares(cuts, waits=waits):
            tagged: list[Future[Chunk] | Chunk]
            if waits:
                tagged = [tagging.submit(self._tagged, piece, document, known) for piece in share]
            else:
                tagged = list(prepared[share[0].ordinal : share[-1].ordinal + 1]) if share else []
            yield _Share(document, content, tuple(share), known, order if last else None, tagged)

    def _tagged(self, piece: Cut, document: Document, known: frozenset[str]) -> Chunk:
        if piece.id in known:
            return known_piece(piece, document, self._recipe)
        notes: list[str] = []
        chunk = tag_piece(piece, document, self._recipe, notes=notes)
        self.tally.warnings.extend(Failure(shown(document), note) for note in notes)
        return chunk

    def _ahead(self, stream: Iterator[_Share]) -> Iterator[_Share]:
        """Let a bounded number of chunks be tagged ahead of the one that is collected."""
        if not self._recipe.tagger.waits:
            yield from stream
            return
        window: deque[_Share] = deque()
        for share in stream:
            window.append(share)
            while sum(len(waiting.tagged) for waiting in window) > 4 * WORKERS:
                yield window.popleft()
        yield from window

    def _collect(self, share: _Share, writing: ThreadPoolExecutor) -> None:
        chunks, reasons = [], []
        for tagged in share.tagged:
            try:
                chunks.append(tagged.result() if isinstance(tagged, Future) else tagged)
            except InputError as error:
                reasons.append(one_line(error))
        self.tally.calls = self._recipe.tagger.calls
        unfinished = self._note_reasons(share, reasons)
        if chunks or not unfinished or self._recipe.tagger.waits:
            self._add(self._draft(share, chunks, unfinished), writing)

    def _add(self, draft: Draft, writing: ThreadPoolExecutor) -> None:
        """Add a draft to the batch; one of more pairs than a transaction takes goes in portions."""
        for part in _parts(draft):
            if self._batch and _pairs([*self._batch, part]) > PAIRS:
                self._flush(writing)
            self._batch.append(part)
            if self._full():
                self._flush(writing)

    def _note_reasons(self, share: _Share, reasons: list[str]) -> str | None:
        document = share.document
        if reasons:
            more = f" (and {len(reasons) - 1} more chunks)" if len(reasons) > 1 else ""
            self._broken.setdefault(document.id, reasons[0] + more)
            self._fail(document.id, Failure(shown(document), reasons[0] + more))
        return self._broken.get(document.id)

    def _draft(self, share: _Share, chunks: list[Chunk], unfinished: str | None) -> Draft:
        return Draft(
            document=share.document,
            content_hash=share.content_hash,
            tagger=self._recipe.of(share.document),
            chunks=tuple(chunks),
            reused=share.known,
            order=None if unfinished else share.order,
            unfinished=unfinished,
            replace=self._replace,
        )

    def _full(self) -> bool:
        chunks = sum(len(draft.chunks) for draft in self._batch)
        late = self._recipe.tagger.waits and time.monotonic() - self._flushed > FLUSH
        return _pairs(self._batch) >= PAIRS or chunks >= CHUNKS or len(self._batch) >= CHUNKS or late

    def _flush(self, writing: ThreadPoolExecutor) -> None:
        """Hand the batch to the writing thread, once that has finished the one before."""
        self._wait()
        if self._batch:
            batch, self._batch = self._batch, []
            self._pending = writing.submit(self._write, batch)
            self._flushed = time.monotonic()

    def _wait(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()

    def _write(self, batch: list[Draft]) -> None:
        vanished = self._write_shares(batch)
        for draft in {draft.document.id: draft for draft in batch}.values():
            if draft.document.id in vanished:
                self._write_whole(draft)
        for draft in batch:
            if draft.order is not None:
                self.tally.begun.pop(draft.document.id, None)

    def _write_shares(self, batch: list[Draft]) -> set[str]:
        """Write `batch` and take all old chunks back; return the documents that others have changed."""
        written = self._writer.write(batch)
        self._count(batch, written)
        vanished = set(written.vanished)
        again = [draft for draft in batch if draft.order is not None and draft.document.id in written.stale]
        while again:  # a long document with many old chunks: they go a share at a time
            written = self._writer.write([replace(draft, chunks=()) for draft in again])
            vanished |= written.vanished
            again = [draft for draft in again if draft.document.id in written.stale]
        return vanished

    def _write_whole(self, draft: Draft) -> None:
        """Write a document from its beginning, since another process has changed it meanwhile."""
        document = draft.document
        cuts = cut_document(document, self._recipe)
        order = tuple(cut.id for cut in cuts)
        try:
            for _ in range(ATTEMPTS):
                clean = True
                for share, last in shares(cuts, waits=self._recipe.tagger.waits):
                    chunks = tuple(tag_piece(cut, document, self._recipe) for cut in share)
                    anew = replace(
                        draft,
                        chunks=chunks,
                        reused=frozenset(),
                        order=order if last else None,
                        unfinished=None,
                    )
                    for part in _parts(anew):
                        clean = not self._write_shares([part]) and clean
                if clean:
                    return
        except InputError as error:
            self._fail(document.id, Failure(shown(document), one_line(error)))
            return
        reason = "another process keeps changing it (ingest it again)"
        self._fail(document.id, Failure(shown(document), reason))

    def _count(self, batch: list[Draft], written: Written) -> None:
        tally = self.tally
        tally.chunks += written.chunks
        tally.pairs += written.pairs
        tally.tags += written.tags
        tally.tokens += sum(chunk.tokens for draft in batch for chunk in draft.chunks)
        for draft in batch:
            document = draft.document
            if document.id in written.conflicts:
                reason = conflict(written.conflicts[document.id])
                self._fail(document.id, Failure(shown(document), reason))
            elif document.id in written.unchanged:
                self._done(document, tally.unchanged, "unchanged")
            elif document.id not in written.vanished:
                new = document.id in written.added
                self._done(document, tally.added if new else tally.updated, "added" if new else "updated")

    def _done(self, document: Document, outcome: set[str], word: str) -> None:
        if document.id not in outcome:
            outcome.add(document.id)
            self._progress(shown(document), word)

    def _fail(self, key: str, failure: Failure) -> None:
        self.tally.begun.pop(key, None)
        if key not in self.tally.failed:
            self.tally.failed[key] = failure
            self._progress(failure.source, "failed")


def _parts(draft: Draft) -> Iterator[Draft]:
    """Yield a draft in parts that fit into a transaction each; only the last one has the order."""
    parts = list(portions(draft.chunks, PAIRS)) or [()]
    for number, chunks in enumerate(parts, 1):
        yield replace(draft, chunks=chunks, order=draft.order if number == len(parts) else None)


def _pairs(drafts: Iterable[Draft]) -> int:
    return sum(pairs_of(len(chunk.tags)) for draft in drafts for chunk in draft.chunks)


def known_chunks(
    client: GraphClient, recipe: Recipe, *, document: Document, cuts: list[Cut]
) -> frozenset[str]:
    """Return the ids of the chunks of `cuts` that are stored with the tags `recipe` would give them."""
    parameters = {"ids": [piece.id for piece in cuts], "recipe": recipe.of(document)}
    return frozenset(client.read("memorise/known_chunks", parameters)[0]["ids"])


def _refused(document: Document) -> str:
    """Return why a document cannot be kept under its id, or ""."""
    try:
        size = len(document.id.encode())
    except UnicodeEncodeError:
        return "its id is no text (give it another one with --id)"
    if not document.id or size > LONGEST_ID:
        return f"its id has {size:,} bytes, 1 to {LONGEST_ID:,} are allowed (give it another one with --id)"
    return ""
