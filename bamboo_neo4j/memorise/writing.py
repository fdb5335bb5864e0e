"""The one write protocol: every transaction that changes a memory's documents goes through here.

Take the memory's lock, alone; only then read what is stored; take the difference; take back; give;
delete tags that became idle. Run again after any failure, it finds what is there already and adds
only what is missing, so weights are exact after retries, crashes and concurrent writers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.memorise.difference import (
    Change,
    StoredChunk,
    StoredTag,
    given,
    pairs_of,
    portions,
    taken,
)
from bamboo_neo4j.memorise.tag_ids import TagIds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction
    from bamboo_neo4j.records import Chunk, Document

PAIRS = 10_000
"""Pairs given, and pairs taken back, in one transaction: about 25 MB of the server's transaction memory.

Larger transactions are no faster (measured), and what is lost when one is cut is more."""
STALE_LIMIT = 200
"""Chunks of one document taken back in one transaction at most; the next transaction takes the next ones."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One document's share of a transaction.

    `chunks` are written; those in `reused` are stored already with the right tags. `tagger` is the recipe of
    its chunks. `order` is given with the last share: all chunk ids of the document, of which others are taken
    back. `unfinished` says why the document is not whole. A draft whose `content_hash` is stored already is
    skipped.
    """

    document: Document
    content_hash: str
    tagger: str
    chunks: tuple[Chunk, ...]
    reused: frozenset[str] = frozenset()
    order: tuple[str, ...] | None = None
    unfinished: str | None = None
    replace: bool = False
    ingested_at: str | None = None
    """When it was ingested first, in ISO 8601, for a document that comes from another memory; else now."""


@dataclass(slots=True)
class Written:
    """What one transaction did, a document id in one of the sets each."""

    added: set[str] = field(default_factory=set)
    updated: set[str] = field(default_factory=set)
    unchanged: set[str] = field(default_factory=set)
    conflicts: dict[str, str] = field(default_factory=dict)
    """Document id and the URI that has it already."""
    vanished: set[str] = field(default_factory=set)
    """Documents that counted on stored chunks which are gone or were changed: they are not whole."""
    stale: dict[str, int] = field(default_factory=dict)
    """Documents with old chunks left, and how many: write them again."""
    chunks: int = 0
    pairs: int = 0
    tags: int = 0


class Writer:
    """Writes the drafts of one memory; one writer is used by one thread at a time."""

    def __init__(self, client: GraphClient, *, memory: str, normaliser: str) -> None:
        self._client = client
        self._memory = memory
        self._normaliser = normaliser
        self._ids = TagIds(client)

    def write(self, drafts: Sequence[Draft]) -> Written:
        """Write `drafts` in one transaction."""
        chunks = [chunk for draft in drafts for chunk in draft.chunks]
        return self._change(chunks, lambda step: step.write(drafts))

    def rewrite(self, chunks: Sequence[Chunk]) -> None:
        """Give stored chunks other tags and terms, PAIRS a transaction; those that are gone are left out."""
        for portion in portions(chunks, PAIRS):
            self._change(portion, partial(_Step.rewrite, chunks=portion))

    def _change(self, chunks: Sequence[Chunk], change: Callable[[_Step], Written]) -> Written:
        keys = {tag.key for chunk in chunks for tag in chunk.tags}

        def work(transaction: Transaction, free: list[int]) -> tuple[Written, set[int]]:
            lock(transaction, memory=self._memory, normaliser=self._normaliser)
            step = _Step(transaction, self._memory, free)
            return change(step), step.used

        return self._ids.write(len(keys), work)

    def forget(self, document: str) -> int:
        """Take a document back, in transactions of bounded size; return the number of its chunks.

        Raises NotFound when there is no such document.
        """
        forgotten = attempts = 0
        while True:

            def work(transaction: Transaction) -> tuple[int, int]:
                nonlocal attempts
                attempts += 1
                lock(transaction, memory=self._memory, normaliser=None)
                # only the first attempt can tell: a later one may find the work of the one before it
                return _Step(transaction, self._memory, []).forget(document, certain=attempts == 1)

            chunks, left = self._client.write(work)
            forgotten += chunks
            if not left:
                return forgotten


class _Step:
    """One attempt of one transaction, after the lock."""

    def __init__(self, transaction: Transaction, memory: str, free: Sequence[int]) -> None:
        self._transaction = transaction
        self._memory = memory
        self._free = free
        self._before: set[str] = set()
        self._documents: list[dict[str, object]] = []
        self._chained: list[str] = []
        self._room = PAIRS
        self.used: set[int] = set()

    def write(self, drafts: Sequence[Draft]) -> Written:
        written = Written()
        change = Change()
        ids = sorted({draft.document.id for draft in drafts})
        known = {row["id"]: row for row in self._run("known_documents", documents=ids)}
        self._before = set(known)
        due = [draft for draft in drafts if _due(draft, known.get(draft.document.id), written)]
        stored = self._stored([chunk.id for draft in due for chunk in draft.chunks])
        mine: dict[str, dict[str, int]] = {}
        for draft in due:
            if not all(_usable(chunk, stored, draft) for chunk in draft.chunks):
                written.vanished.add(draft.document.id)
                continue
            mine.setdefault(draft.document.id, {}).update({chunk.id: 1 for chunk in draft.chunks})
            self._plan(draft, change=change, stored=stored, mine=mine[draft.document.id], written=written)
            (written.updated if draft.document.id in known else written.added).add(draft.document.id)
        owners = {chunk.id: draft.document.id for draft in due for chunk in draft.chunks}
        self._apply(change, owners, written)
        return written

    def rewrite(self, chunks: Sequence[Chunk]) -> Written:
        written, change = Written(), Change()
        stored = self._stored([chunk.id for chunk in chunks])
        for chunk in chunks:
            if chunk.id in stored:
                change.rewrite(stored[chunk.id], chunk)
        self._apply(change, {}, written)
        return written

    def forget(self, document: str, *, certain: bool) -> tuple[int, int]:
        rows = self._run("known_documents", documents=[document])
        if not rows and certain:
            raise NotFound(f"there is no document {document!r} in the memory {self._memory!r}")
        if not rows:
            return 0, 0
        change = Change()
        left, _ = self._remove_stale(document, keep={}, mine={}, recipe="", change=change)
        if left:
            self._documents.append(
                {**_properties(rows[0]), "contentHash": None, "unfinished": "being forgotten"}
            )
        self._apply(change, {}, Written())
        if not left:
            self._run("delete_documents", documents=[document])
        return len(change.removed), left

    def _plan(
        self,
        draft: Draft,
        *,
        change: Change,
        stored: dict[str, StoredChunk],
        mine: dict[str, int],
        written: Written,
    ) -> None:
        for chunk in draft.chunks:
            old = stored.get(chunk.id)
            if old is None:
                change.add(chunk)
            elif chunk.id in draft.reused:
                change.move(old, chunk)
            else:
                change.rewrite(old, chunk)
        document = draft.document
        whole = draft.order is not None and self._is_whole(draft, change=change, mine=mine, written=written)
        if draft.order is not None:
            self._chained.append(document.id)
        self._documents.append(
            {
                "id": document.id,
                "uri": document.uri,
                "title": document.title,
                "mediaType": document.media_type,
                "contentHash": draft.content_hash if whole else None,
                "tagger": draft.tagger,
                "unfinished": draft.unfinished,
                "ingestedAt": draft.ingested_at,
            }
        )

    def _is_whole(self, draft: Draft, *, change: Change, mine: dict[str, int], written: Written) -> bool:
        """Plan to take old chunks back, and tell whether the document is whole after this transaction.

        It is not while old chunks are left, nor when another process has taken back or changed one of the
        chunks that earlier transactions wrote.
        """
        keep = dict.fromkeys(draft.order or (), 1)
        left = right = 0
        if draft.document.id in self._before:  # a new document has no old chunks
            left, right = self._remove_stale(
                draft.document.id, keep=keep, mine=mine, recipe=draft.tagger, change=change
            )
        if left:
            written.stale[draft.document.id] = left
        elif right + len(mine.keys() & keep.keys()) != len(keep):
            written.vanished.add(draft.document.id)
            return False
        return not left and draft.unfinished is None

    def _remove_stale(
        self, document: str, *, keep: dict[str, int], mine: dict[str, int], recipe: str, change: Change
    ) -> tuple[int, int]:
        """Plan to remove chunks that are not in `keep`: at most STALE_LIMIT, and those of PAIRS pairs.

        Return how many of those are left, and how many in `keep` but not in `mine` are stored by `recipe`.
        """
        row = self._run(
            "stale_chunks", document=document, keep=keep, mine=mine, recipe=recipe, limit=STALE_LIMIT
        )[0]
        ids = self._affordable(row["stale"])
        for stored in self._stored(ids).values():
            change.remove(stored)
        return int(row["total"]) - len(ids), int(row["right"])

    def _affordable(self, stale: Sequence[tuple[str, int]]) -> list[str]:
        """Return the first of some chunks, given with their number of tags, that fit into the transaction."""
        ids = []
        for chunk, tags in stale:
            if self._room < PAIRS and self._room < pairs_of(tags):
                break
            self._room -= pairs_of(tags)
            ids.append(chunk)
        return ids

    def _apply(self, change: Change, owners: dict[str, str], written: Written) -> None:
        self._take(change)
        if self._documents:
            self._run("merge_documents", documents=self._documents)
        tags = self._merge_tags(change.written)
        written.pairs = self._give(change, owners=owners, tags=tags)
        written.chunks = len(change.added)
        written.tags = len(self.used)
        if change.moved:
            moved = [[chunk.id, chunk.ordinal, chunk.recipe] for chunk in change.moved]
            self._run("move_chunks", chunks=moved)
        if self._chained:
            self._run("chain_chunks", documents=self._chained)
        if change.chunks or change.terms:
            self._run("count_memory", chunks=change.chunks, terms=change.terms)
        idle = sorted(number for key, number in change.released.items() if key not in tags)
        if idle:
            self._run("delete_idle_tags", tags=idle)

    def _take(self, change: Change) -> None:
        lost = sorted(
            [*sorted((change.released[a], change.released[b])), count]
            for (a, b), count in taken(change.pairs).items()
        )
        if lost:
            self._exactly(len(lost), self._run("take_pairs", pairs=lost)[0]["pairs"], "edges to take back")
        fewer = sorted([word, count] for word, count in taken(change.words).items())
        if fewer:
            self._exactly(len(fewer), self._run("take_words", words=fewer)[0]["words"], "words to take back")
        if change.removed:
            self._run("delete_chunks", ids=change.removed)

    def _merge_tags(self, chunks: Sequence[Chunk]) -> dict[str, int]:
        new = {tag.key: tag for chunk in chunks for tag in chunk.tags}
        if not new:
            return {}
        rows = [
            [tag.key, number, tag.name, tag.display]
            for tag, number in zip((new[key] for key in sorted(new)), self._free, strict=False)
        ]
        tags: dict[str, int] = dict(self._run("merge_tags", tags=rows)[0]["tags"])
        self._exactly(len(new), len(tags), "tags")
        self.used = set(tags.values()).intersection(self._free[: len(rows)])
        return tags

    def _give(self, change: Change, *, owners: dict[str, str], tags: dict[str, int]) -> int:
        if change.rewritten:
            self._run("unlink_tags", ids=[chunk.id for chunk in change.rewritten])
        if change.written:
            rows = [_chunk_row(chunk) for chunk in change.written]
            self._exactly(len(rows), self._run("merge_chunks", chunks=rows)[0]["chunks"], "chunks")
        if change.added:
            ties = [[chunk.id, owners[chunk.id]] for chunk in change.added]
            self._exactly(len(ties), self._run("tie_chunks", chunks=ties)[0]["chunks"], "documents")
        links = [
            [chunk.id, tags[tag.key], tag.salience, tag.kind, tag.about]
            for chunk in change.written
            for tag in chunk.tags
        ]
        if links:
            self._exactly(len(links), self._run("link_tags", links=links)[0]["links"], "links")
        won = sorted([*sorted((tags[a], tags[b])), count] for (a, b), count in given(change.pairs).items())
        if won:
            row = self._run("give_pairs", pairs=won)[0]
            self._exactly(len(won), row["pairs"], "edges")
            if row["learns"]:
                self._run("settle_pairs", pairs=won)
                self._run("settle_joints", pairs=won)
        more = sorted([word, count] for word, count in given(change.words).items())
        if more:
            self._run("give_words", words=more)
        return len(won)

    def _stored(self, ids: Sequence[str]) -> dict[str, StoredChunk]:
        rows = self._run("read_chunks", ids=list(ids)) if ids else []
        return {row["id"]: _stored_chunk(row) for row in rows}

    def _run(self, name: str, **parameters: object) -> list[Row]:
        return self._transaction.run(f"memorise/{name}", {"memory": self._memory, **parameters})

    def _exactly(self, wanted: int, found: int, what: str) -> None:
        """Give the transaction up when a statement missed a row: better nothing than a wrong weight."""
        if wanted != found:
            raise DatabaseError(
                f"the graph of the memory {self._memory!r} is damaged: {found} of {wanted} {what} found",
                hint="bamboo check says where; nothing was changed",
            )


def _due(draft: Draft, row: Row | None, written: Written) -> bool:
    """Whether a draft has anything to do; sorts it into `written` when it has not."""
    if row is None:
        return True
    document = draft.document
    if row["uri"] != document.uri and not draft.replace:
        written.conflicts[document.id] = row["uri"]
        return False
    same = row["contentHash"] == draft.content_hash and row["uri"] == document.uri
    if same:
        written.unchanged.add(document.id)
    return not same


def _usable(chunk: Chunk, stored: dict[str, StoredChunk], draft: Draft) -> bool:
    """Tell whether a chunk that is to be reused is stored as the draft's recipe makes it."""
    if chunk.id not in draft.reused:
        return True
    return chunk.id in stored and stored[chunk.id].recipe == draft.tagger


def _stored_chunk(row: Row) -> StoredChunk:
    tags = tuple(StoredTag(*tag) for tag in row["tags"])
    recipe = row["recipe"] or ""
    return StoredChunk(row["id"], row["ordinal"], row["terms"], row["length"], tags, recipe)


def _chunk_row(chunk: Chunk) -> dict[str, object]:
    names = ("id", "ordinal", "text", "tokens", "terms", "length", "recipe")
    return {name: getattr(chunk, name) for name in names}


def _properties(row: Row) -> dict[str, object]:
    return {name: row[name] for name in ("id", "uri", "title", "mediaType", "tagger")}
