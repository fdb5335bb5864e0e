"""Index a memory anew when its language or the rules of words change: no model, no source is needed.

Tags keep their spelling and get new keys. A tag whose new key is free is renamed, with everything that hangs
on it; tags that become one are joined chunk by chunk through the write protocol. Killed half-way, the memory
is refused by everybody until `bamboo reindex` has been run again to the end. Of two programs that index it in
different languages at once, the one that began first gives way: each transaction compares, under the memory's
lock, the normaliser that the memory is to have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import DatabaseError, OtherWordRules
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.normalise import chunk_terms
from bamboo_neo4j.records import Chunk, Tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bamboo_neo4j.graph.client import GraphClient, Row
    from bamboo_neo4j.normalise import Normaliser

TAGS = 1_000
CHUNKS = 100
DOCUMENTS = 1_000
"""Tags, chunks and documents of one transaction."""
REINDEXING = "reindexing "
"""Begins the normaliser of a memory whose words are being changed; the new one follows it.

Nobody has such a normaliser, so nobody reads or writes the memory."""


def reindex(client: GraphClient, memory: str, *, words: Normaliser, progress: Callable[[int], None]) -> int:
    """Index `memory` anew with `words`; return the number of its chunks. `progress` gets chunks done.

    Raises DatabaseError when another program has begun to index it in another language.
    """
    marked = {"memory": memory, "normaliser": words.fingerprint}
    if not _run(client, "memorise/mark_reindexing", marked | {"language": words.language}):
        return 0
    while _rename(client, memory, words):
        pass
    writer = Writer(client, memory=memory, normaliser=REINDEXING + words.fingerprint)
    done = 0
    try:
        for page in _pages(client, memory):
            writer.rewrite([_anew(row, words) for row in page])
            done += len(page)
            progress(done)
    except OtherWordRules:
        raise _overtaken(memory) from None
    while _rename(client, memory, words):  # the chunks have set keys free
        pass
    _move_facts(client, memory, words)
    _mark_documents(client, marked)
    if not _run(client, "memorise/mark_reindexed", marked):
        raise _overtaken(memory)
    return done


def _rename(client: GraphClient, memory: str, words: Normaliser) -> int:
    """Rename tags whose new key is free; return how many, since each may have freed a key for another."""
    renamed = 0
    for tags in _pages_of_tags(client, memory):
        wanted = {words.key(display): (number, key, display) for number, key, display in reversed(tags)}
        rows = [
            [number, new, words.name(display)]
            for new, (number, key, display) in wanted.items()
            if new and new != key
        ]
        if rows:
            parameters = {"memory": memory, "normaliser": words.fingerprint, "tags": sorted(rows)}
            answer = _run(client, "memorise/rename_tags", parameters)
            if not answer:
                raise _overtaken(memory)
            renamed += answer[0]["tags"]
    return renamed


def _move_facts(client: GraphClient, memory: str, words: Normaliser) -> None:
    """Move facts from tags that became one with another, which has their new key, to that one."""
    for tags in _pages_of_tags(client, memory):
        rows = [[number, new] for number, key, display in tags if (new := words.key(display)) and new != key]
        parameters = {"memory": memory, "normaliser": words.fingerprint, "tags": rows}
        if rows and not _run(client, "memorise/move_facts", parameters):
            raise _overtaken(memory)


def _pages_of_tags(client: GraphClient, memory: str) -> Iterator[list[tuple[int, str, str]]]:
    """Yield the tags of `memory` by key as (id, key, display), TAGS at a time."""
    after = ""
    while tags := client.read("memorise/page_tags", {"memory": memory, "after": after, "limit": TAGS})[0][
        "tags"
    ]:
        yield tags
        after = tags[-1][1]


def _mark_documents(client: GraphClient, marked: Mapping[str, object]) -> None:
    after: str | None = ""
    while after is not None:
        page = {**marked, "after": after, "limit": DOCUMENTS}
        rows = _run(client, "memorise/mark_documents", page)
        after = rows[0]["until"] if rows else None


def _overtaken(memory: str) -> DatabaseError:
    return DatabaseError(
        f"another program indexes the memory {memory!r} anew, or has just done so",
        hint="bamboo memories shows its language; run bamboo reindex again for another one",
    )


def _run(client: GraphClient, name: str, parameters: Mapping[str, object]) -> list[Row]:
    return client.write(lambda transaction: transaction.run(name, parameters))


def _pages(client: GraphClient, memory: str) -> Iterator[list[Row]]:
    after = f"{memory}:"
    while page := client.read("memorise/page_chunks", {"memory": memory, "after": after, "limit": CHUNKS}):
        yield page
        after = page[-1]["id"]


def _anew(row: Row, words: Normaliser) -> Chunk:
    """Return a chunk with new terms and keys; of tags that become one, the most salient stays."""
    tags: dict[str, Tag] = {}
    for key, display, kind, salience, about in sorted(row["tags"], key=lambda tag: (-tag[3], tag[0])):
        new = words.key(display) or key
        known = tags.get(new)
        if known is None:
            tags[new] = Tag(new, words.name(display) or new, display, kind, salience, about)
        elif about and not known.about:
            tags[new] = Tag(new, known.name, known.display, known.kind, known.salience, about=True)
    terms, length = chunk_terms(words, row["title"], row["text"])
    return Chunk(row["id"], row["ordinal"], row["text"], row["tokens"], terms, length, tuple(tags.values()))
