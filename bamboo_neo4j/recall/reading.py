"""Reading: what the statements of `cypher/recall/` take and give, as records of this room.

A reader is anything that runs a statement of `cypher/` by name with parameters and returns its rows; nothing
here knows of a driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bamboo_neo4j.errors import NothingRecalled, OtherWordRules
from bamboo_neo4j.recall import cues as rules
from bamboo_neo4j.recall import ranking
from bamboo_neo4j.recall.cues import KnownTag
from bamboo_neo4j.recall.lessons import EPISODES
from bamboo_neo4j.recall.ranking import Candidate, Corpus, Link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.recall.cues import Cues, Reading
    from bamboo_neo4j.recall.ranking import Scored

FOUND = 100
"""Chunks that the full-text index gives."""
RAREST = 6
"""Words that it is always asked for: the rarest; and all that stand in at most `COMMON` of the chunks."""
COMMON = 0.02
LINK_ABOUT = 20
"""A tag that more chunks are about leads to none of them."""
LINK_TAGGED = 50
"""A tag that more chunks hold leads to none that only hold it."""
BODY = 0.4
"""Worth of a link to a chunk that holds the tag and is not about it."""


class Reader(Protocol):
    """Runs the statement `name` of `cypher/` with read access and returns its rows."""

    def __call__(self, name: str, parameters: Mapping[str, object], /) -> list[dict[str, Any]]:
        """Return one mapping a row, from column to value."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the memory knows of a question, before it is ranked.

    `found` are the candidates of the full-text index, `about` those that tags of the question brought;
    `left` is the number of tags of the question that were not looked at.
    """

    corpus: Corpus
    cycle: int
    tags: tuple[KnownTag, ...]
    words: Mapping[str, int]
    found: tuple[Candidate, ...]
    about: tuple[Candidate, ...]
    left: int


@dataclass(frozen=True, slots=True)
class Links:
    """What round 2 found: the question's tags that each source holds, links by chunk, new chunks.

    `taught` are chunks that learned episodes have used, each with the questions of the latest of those.
    """

    held: Mapping[str, tuple[int, ...]]
    links: Mapping[str, tuple[Link, ...]]
    fresh: tuple[Candidate, ...]
    taught: tuple[tuple[str, tuple[str, ...]], ...] = ()


def find(reading: Reading, normaliser: Normaliser, *, read: Reader, memory: str) -> Found:
    """Look a question up in the memory (round trip 1).

    Raises NothingRecalled if the memory is empty, OtherWordRules if it was written with another normaliser.
    """
    parameters = {
        "memory": memory,
        "words": {word: _clause(word, reading.terms.count(word), normaliser) for word in reading.spelling},
        "grams": reading.keys,
        "limit": FOUND,
        "rarest": RAREST,
        "common": COMMON,
        "most": rules.MOST_WORDS,
        "resolving": rules.MOST_ABOUT,
    }
    rows = read("recall/candidates", parameters)
    if not rows or not rows[0]["n"]:
        raise NothingRecalled(
            f"the graph is empty: memory {memory!r} holds no chunk",
            hint="put documents in with: bamboo ingest PATH",
        )
    row = rows[0]
    if row["normaliser"] not in {None, normaliser.fingerprint}:
        raise OtherWordRules(memory, stored=row["normaliser"], ours=normaliser.fingerprint)
    chunks = {each[0]: _candidate(each) for each in row["chunks"]}
    tags = tuple(map(_tag, row["tags"]))
    about = {chunk for tag in tags for chunk in tag.about}
    return Found(
        corpus=Corpus(row["n"], row["terms"]),
        cycle=row["cycle"] or 0,
        tags=tags,
        words=dict(row["words"]),
        found=tuple(chunks[chunk] for chunk in dict.fromkeys(row["found"])),
        about=tuple(chunk for id_, chunk in chunks.items() if id_ in about),
        left=row["known"] - len(row["tags"]),
    )


def link(scored: Sequence[Scored], cues: Cues, *, found: Found, read: Reader) -> Links:
    """Find the chunks that the best of `scored` lead to (round trip 2)."""
    sources = scored[: ranking.SOURCES]
    parameters = {
        "sources": [each.candidate.id for each in sources],
        "scores": [each.score for each in sources],
        "grams": sorted(cues.grams),
        "cues": [cue.tag.id for cue in cues.tags],
        "known": {each.candidate.id: 1 for each in scored},
        "n": found.corpus.chunks,
        "cycle": found.cycle,
        "linkAbout": LINK_ABOUT,
        "linkTagged": LINK_TAGGED,
        "body": BODY,
        "cap": ranking.FRESH,
        "episodes": EPISODES,
    }
    row = read("recall/links", parameters)[0]
    held = {chunk: tuple(tags) for chunk, tags in row["sources"]}
    by_source = [held.get(each.candidate.id, ()) for each in sources]
    return Links(
        held=held,
        links={
            chunk: tuple(ranking.anchored(Link(*one), by_source[one[0]], cues.query) for one in links)
            for chunk, links, *_ in [*row["seen"], *row["fresh"]]
        },
        fresh=tuple(_candidate([each[0], *each[2:]]) for each in row["fresh"]),
        taught=tuple((chunk, tuple(questions)) for chunk, questions in row["taught"]),
    )


def _tag(row: Sequence[Any]) -> KnownTag:
    number, key, name, df, abouts, about = row
    return KnownTag(number, key, name, df, abouts, frozenset(about))


def _candidate(row: Sequence[Any]) -> Candidate:
    chunk, terms, length, tokens, about = row
    return Candidate(chunk, tuple(terms.split(" ")), length, tuple(about), tokens)


def _clause(word: str, count: int, normaliser: Normaliser) -> str:
    """Return the clause of a word in Lucene's language: quoted, so that nothing in it is an operator."""
    boost = count * (rules.GENERIC if normaliser.is_generic(word) else 1.0)
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if boost == 1 else f'"{escaped}"^{boost:g}'
