"""Make a synthetic memory of a chosen size: chunks with Zipf-like tags and words, their exact edges, hubs.

    python -m tests.bench.synthetic --edges 2000000 --home /var/tmp/bench

The memory is named after its size and used again where it is there. All counts are exact, so that
`bamboo check` finds no fault in it; only the texts are made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import connect
from bamboo_neo4j.normalise import normaliser
from tests.bench.timing import Database, options, say, server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.settings import Settings

TAGS_A_CHUNK = 12
TERMS_A_CHUNK = 60
PAIRS_A_CHUNK = 56
"""New edges that a chunk of twelve tags brings: 66 pairs less those met before (measured)."""
HUBS = 5
BATCH = 20_000

Array = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Size:
    """How large: chunks, tags, words, and the share of chunks that hold each hub."""

    chunks: int
    tags: int
    words: int
    degree: int

    @property
    def memory(self) -> str:
        """The name of the memory of this size."""
        return f"bench-{self.chunks}-{self.degree}"


def size_of(edges: int, degree: int) -> Size:
    """Return the size that gives about `edges` edges, and hubs of about `degree` where they are enough."""
    chunks = max(edges // PAIRS_A_CHUNK, 100)
    return Size(chunks, tags=max(3 * chunks, 4 * degree), words=max(chunks // 2, 2000), degree=degree)


def tag_name(number: int) -> str:
    """Two words, so that a question that holds them has a cue whatever else is known."""
    return f"t{number} n{number}"


def word(number: int) -> str:
    """A word that no stemmer changes."""
    return f"w{number}"


def make(settings: Settings, size: Size, *, seed: int = 7) -> None:
    """Write the memory of `size`, unless it is complete already."""
    with connect(
        settings["uri"],
        username=settings["username"],
        password=settings["password"],
        database=settings["database"],
    ) as client:
        schema.prepare(client)
        schema.open_memory(client, size.memory, language="en", normaliser=normaliser("en").fingerprint)
    with Database(settings) as database:
        (state,) = database.run(MEMORY, memory=size.memory)
        if state["chunks"] == size.chunks:
            say(f"using {size.memory} as it is")
            return
        _write(database, size, np.random.default_rng(seed))


def _write(database: Database, size: Size, random: np.random.Generator) -> None:
    tags, words = _draw_tags(size, random), _draw_words(size, random)
    first = database.run(LEASE, write=True, count=size.tags)[0]["first"]
    used, held = np.unique(tags[tags >= 0], return_counts=True)
    _send(database, TAGS, ([tag_name(t), first + t] for t in used.tolist()), what="tags", memory=size.memory)
    _send(database, DOCUMENTS, range((size.chunks + 9) // 10), what="documents", memory=size.memory)
    _send(database, CHUNKS, _chunks(tags, words, first), what="chunks", memory=size.memory)
    _send(database, WORDS, _word_rows(words, used, held, size), what="words", memory=size.memory)
    pairs, weights = _count_pairs(tags, size)
    rows = ([first + p // size.tags, first + p % size.tags, w] for p, w in zip(pairs, weights, strict=True))
    _send(database, PAIRS, rows, what="edges")
    terms = size.chunks * TERMS_A_CHUNK + 2 * int(held.sum())
    database.run(DONE, write=True, memory=size.memory, chunks=size.chunks, terms=terms)


def _draw_tags(size: Size, random: np.random.Generator) -> Array:
    """Draw a row of distinct tags a chunk, -1 where a draw repeated one; the first numbers are the hubs.

    Each hub is in so many chunks that the least of them has the degree asked for; the other tags are two
    thirds tail, one third Zipf.
    """
    zipf = 1 / (np.arange(size.tags) + 10.0)
    zipf[:HUBS] = 0
    shape = (size.chunks, TAGS_A_CHUNK)
    common = random.choice(size.tags, size=shape, p=zipf / zipf.sum())
    others = np.where(random.random(shape) < 1 / 3, common, random.integers(HUBS, size.tags, size=shape))
    chance = random.random((size.chunks, HUBS))
    share = min(0.9, size.degree / (size.chunks * TAGS_A_CHUNK))
    while True:
        drawn = others.copy()
        for hub in range(HUBS):
            drawn[chance[:, hub] < share, hub] = hub
        least = min(len(np.unique(drawn[(drawn == hub).any(axis=1)])) - 1 for hub in range(HUBS))
        if least >= size.degree or share > 0.9:
            break
        share *= 1.05
    drawn.sort(axis=1)
    drawn[:, 1:][drawn[:, 1:] == drawn[:, :-1]] = -1
    return drawn


def _draw_words(size: Size, random: np.random.Generator) -> Array:
    zipf = 1 / (np.arange(size.words) + 5.0)
    shape = (size.chunks, TERMS_A_CHUNK)
    drawn: Array = random.choice(size.words, size=shape, p=zipf / zipf.sum())
    return drawn


def _count_pairs(tags: Array, size: Size) -> tuple[list[int], list[int]]:
    """Return each pair as smaller * tags + larger, in order, and its number of chunks."""
    pairs = []
    for left in range(TAGS_A_CHUNK):
        for right in range(left + 1, TAGS_A_CHUNK):
            a, b = tags[:, left], tags[:, right]
            both = (a >= 0) & (b >= 0)
            low, high = np.minimum(a, b)[both], np.maximum(a, b)[both]
            pairs.append(low * size.tags + high)
    found, weights = np.unique(np.concatenate(pairs), return_counts=True)
    return found.tolist(), weights.tolist()


def _chunks(tags: Array, words: Array, first: int) -> Iterator[list[object]]:
    for number, (own, terms) in enumerate(zip(tags.tolist(), words.tolist(), strict=True)):
        held = [tag for tag in own if tag >= 0]
        text = " ".join([*map(tag_name, held), *map(word, terms)])
        yield [number, number // 10, text, len(text.split()), [first + tag for tag in held], first + held[-1]]


def _word_rows(words: Array, used: Array, held: Array, size: Size) -> Iterator[list[object]]:
    rows = np.sort(words, axis=1)
    fresh = np.ones(rows.shape, dtype=bool)
    fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
    counts = np.bincount(rows[fresh], minlength=size.words).tolist()
    yield from ([word(number), count] for number, count in enumerate(counts) if count)
    for tag, count in zip(used.tolist(), held.tolist(), strict=True):
        yield from ([part, count] for part in tag_name(tag).split())


def _send(
    database: Database,
    statement: str,
    rows: Iterator[object] | Sequence[object],
    *,
    what: str,
    **more: object,
) -> None:
    iterator, sent = iter(rows), 0
    while batch := list(islice(iterator, BATCH)):
        database.run(statement, write=True, rows=batch, **more)
        sent += len(batch)
        if sent % (10 * BATCH) == 0:
            say(f"{what}: {sent:,}")
    say(f"{what}: {sent:,}")


MEMORY = "MATCH (m:BambooMemory {name: $memory}) RETURN m.chunks AS chunks"
LEASE = """
MATCH (schema:BambooSchema {id: 'bamboo'}) SET schema.nextTagId = schema.nextTagId + $count
RETURN schema.nextTagId - $count AS first
"""
TAGS = """
UNWIND $rows AS row CREATE (:Tag {memory: $memory, key: row[0], id: row[1], name: row[0], display: row[0]})
"""
DOCUMENTS = """
UNWIND $rows AS number CREATE (:Document {memory: $memory, id: 'd' + number, uri: '', title: '',
  mediaType: 'text/plain', contentHash: '', ingestedAt: datetime()})
"""
# The last tag is the primary one: the hubs come first.
CHUNKS = """
UNWIND $rows AS row MATCH (document:Document {memory: $memory, id: 'd' + row[1]})
CREATE (chunk:Chunk {id: $memory + ':' + row[0], memory: $memory, ordinal: row[0] % 10, text: row[2],
  tokens: row[3], terms: row[2], length: row[3]})-[:FROM_DOCUMENT]->(document)
WITH row, chunk UNWIND row[4] AS id MATCH (tag:Tag {id: id})
CREATE (chunk)-[:TAGGED {salience: 1.0, kind: 'entity'}]->(tag)
WITH row, chunk, tag WHERE tag.id = row[5] CREATE (chunk)-[:ABOUT]->(tag)
"""
WORDS = "UNWIND $rows AS row CREATE (:Word {memory: $memory, name: row[0], df: row[1]})"
PAIRS = """
UNWIND $rows AS row MATCH (a:Tag {id: row[0]}) MATCH (b:Tag {id: row[1]})
CREATE (a)-[:CO_OCCURS {src: row[0], dst: row[1], weight: row[2], rank: toFloat(row[2])}]->(b)
"""
DONE = (
    "MATCH (m:BambooMemory {name: $memory}) SET m.chunks = $chunks, m.terms = $terms, m.writes = m.writes + 1"
)


def main() -> None:
    """Make the memory and say how it turned out."""
    parser = options(__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--edges", type=int, default=2_000_000)
    parser.add_argument("--degree", type=int, default=100_000, help="of the hubs")
    given = parser.parse_args()
    size = size_of(100_000, 5_000) if given.quick else size_of(given.edges, given.degree)
    with server(given) as settings, Database(settings) as database:
        make(settings, size)
        for record in database.run(DEGREES, memory=size.memory):
            print(f"{record['name']}: degree {record['degree']:,}")
        print(f"{size.memory}: {database.run(EDGES, memory=size.memory)[0]['edges']:,} edges")


DEGREES = """
MATCH (tag:Tag {memory: $memory}) WITH tag.name AS name, COUNT { (tag)-[:CO_OCCURS]-() } AS degree
RETURN name, degree ORDER BY degree DESC, name LIMIT 20
"""
EDGES = "MATCH (tag:Tag {memory: $memory}) RETURN sum(COUNT { (tag)-[:CO_OCCURS]->() }) AS edges"

if __name__ == "__main__":
    main()
