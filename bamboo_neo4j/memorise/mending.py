"""Mending values: what was lost of the memory's node, of chunks and of tags is derived from what is left.

Terms and tokens come from a chunk's text, a tag's key and name from its spelling, its id from its edges, the
language from the fingerprint of the word rules. What nothing is left of makes documents unfinished: ingesting
them again mends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j import words as lists
from bamboo_neo4j.graph.schema import read_state
from bamboo_neo4j.memorise.tag_ids import TagIds
from bamboo_neo4j.memorise.tokens import count_tokens
from bamboo_neo4j.normalise import chunk_terms, normaliser

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction
    from bamboo_neo4j.normalise import Normaliser

PAGE = 200
"""Chunks and tags of one transaction."""


def mend_values(client: GraphClient, memory: str) -> int:
    """Set values of `memory` that are missing or of a wrong type; return how many things were mended."""
    mended = _mended(_run(client, "repair/memory", {"memory": memory}))
    language, more = _language(client, memory)
    mended += more
    if language is None:
        return mended  # `bamboo reindex --language` makes everything else anew
    rules = normaliser(language)
    return mended + _mend_tags(client, memory, rules) + _mend_chunks(client, memory, rules)


def _language(client: GraphClient, memory: str) -> tuple[str | None, int]:
    """Return the memory's language; one that was lost is the one whose word rules the memory has."""
    state = read_state(client, memory)
    if state.language in lists.language_codes():
        return state.language, 0
    found = next((code for code in _codes() if normaliser(code).fingerprint == state.normaliser), None)
    if found is not None:
        _run(client, "repair/language", {"memory": memory, "language": found})
        return found, 1
    return None, 0


def _codes() -> Iterator[str]:
    """Yield all codes, those with word lists first: the word rules of all others are the same."""
    known = sorted(lists.languages_known())
    yield from known
    yield from sorted(lists.language_codes() - set(known))


def _mend_tags(client: GraphClient, memory: str, rules: Normaliser) -> int:
    mended, ids = 0, TagIds(client)
    while True:
        page = {"memory": memory, "limit": PAGE}
        damaged = client.read("inspect/damaged_tags", page)[0]["tags"]
        if not damaged:
            return mended

        def work(
            transaction: Transaction, free: list[int], damaged: list[list[object]] = damaged
        ) -> tuple[int, list[int]]:
            rows = [_tag(tag, number, rules) for tag, number in zip(damaged, free, strict=False)]
            parameters = {"memory": memory, "tags": rows}
            done = _mended(transaction.run("repair/tag_values", parameters))
            return done, free[: len(rows)]

        done = ids.write(len(damaged), work)
        mended += done
        if not done:
            return mended


def _tag(row: list[object], number: int, rules: Normaliser) -> list[object]:
    """Return the values of a damaged tag; its key is "" where nothing is left to derive it from."""
    element, key, name, display, given, ids = row
    spelling = next((text for text in (display, name, key) if isinstance(text, str) and text), "")
    whole = key if isinstance(key, str) and key else rules.key(spelling)
    edges = ids if isinstance(ids, list) else []
    known = given if _is_whole(given) else edges[0] if len(edges) == 1 else number
    named = name if isinstance(name, str) else rules.name(spelling) or whole
    return [element, whole, named, display if isinstance(display, str) else spelling, known]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _mend_chunks(client: GraphClient, memory: str, rules: Normaliser) -> int:
    mended, after = 0, f"{memory}:"
    while True:
        page = {"memory": memory, "after": after, "limit": PAGE}
        chunks = client.read("inspect/damaged_chunks", page)[0]["chunks"]
        if not chunks:
            return mended
        after = chunks[-1][0]
        rows = [
            [name, chunk_terms(rules, title or "", text)[0], max(count_tokens(text), 1)]
            for name, title, text in chunks
        ]
        mended += _mended(_run(client, "repair/chunk_values", {"memory": memory, "chunks": rows}))


def _mended(rows: list[Row]) -> int:
    return int(rows[0]["mended"]) if rows else 0


def _run(client: GraphClient, name: str, parameters: Mapping[str, object]) -> list[Row]:
    return client.write(lambda transaction: transaction.run(name, parameters))
