"""Time the writing of a memory against one transaction a chunk with a MERGE a pair, for the same tags.

    BAMBOO_DATA=folder python -m tests.bench.ingest --chunks 2000

The plain writer is given the tags that ours found, and writes nodes and edges of other labels into the same
database, with the unique constraints that it needs. Ours also reads, cuts, tags, and keeps words and learning
indexes; the plain one only writes. The memory and the plain graph are deleted again.
"""

from __future__ import annotations

import json
import os
import random
import resource
from functools import partial
from itertools import combinations, product
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from bamboo_neo4j import Memory
from bamboo_neo4j.records import Document
from tests.bench import synthetic
from tests.bench.recall import read_passages
from tests.bench.timing import Database, machine, options, say, server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import neo4j

    from bamboo_neo4j.settings import Settings

MEMORY = "bench-ingest"

TAGS_OF_CHUNKS = """
MATCH (chunk:Chunk {memory: $memory})
RETURN chunk.id AS id, chunk.text AS text,
  COLLECT { MATCH (chunk)-[:TAGGED]->(tag) RETURN tag.key ORDER BY tag.key } AS tags
ORDER BY id
"""
PLAIN_SCHEMA = (
    "CREATE CONSTRAINT plain_chunk IF NOT EXISTS FOR (c:PlainChunk) REQUIRE c.id IS UNIQUE",
    "CREATE CONSTRAINT plain_tag IF NOT EXISTS FOR (t:PlainTag) REQUIRE t.key IS UNIQUE",
)
PLAIN_CHUNK = "MERGE (c:PlainChunk {id: $id}) SET c.text = $text"
PLAIN_TAG = "MATCH (c:PlainChunk {id: $id}) MERGE (t:PlainTag {key: $tag}) MERGE (c)-[:PLAIN_TAGGED]->(t)"
PLAIN_PAIR = """
MATCH (a:PlainTag {key: $a}) MATCH (b:PlainTag {key: $b})
MERGE (a)-[r:PLAIN_CO_OCCURS]-(b) ON CREATE SET r.weight = 1 ON MATCH SET r.weight = r.weight + 1
"""
PLAIN_PAIRS = """
UNWIND $pairs AS pair MATCH (a:PlainTag {key: pair[0]}) MATCH (b:PlainTag {key: pair[1]})
MERGE (a)-[r:PLAIN_CO_OCCURS]-(b) ON CREATE SET r.weight = 1 ON MATCH SET r.weight = r.weight + 1
"""
WIPE = "MATCH (n:PlainChunk|PlainTag) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"
UNSCHEMA = ("DROP CONSTRAINT plain_chunk IF EXISTS", "DROP CONSTRAINT plain_tag IF EXISTS")


def made_up_documents(count: int) -> Iterator[Document]:
    """Short texts of names and words, when no data is given."""
    drawn = random.Random(5)
    parts = ["bar", "cel", "dor", "fen", "gol", "hal", "jin", "kor", "lam", "mer", "nev", "pol", "rud", "sav"]
    people = [f"{a}{b} {c}{d}".title() for a, b, c, d in product(parts, repeat=4)]
    for number in range(count):
        names = [people[int(drawn.paretovariate(0.25)) % len(people)] for _ in range(10)]
        words = [synthetic.word(int(drawn.paretovariate(0.7)) % 3000) for _ in range(50)]
        text = " ".join(
            f"It was {name} who met {word}." for name, word in zip(names, words[:10], strict=True)
        )
        yield Document(f"d{number}", "", names[0], f"{text} {' '.join(words[10:])}.", "text/plain")


def documents(count: int) -> list[Document]:
    """Return `count` passages of BAMBOO_DATA in mixed order, or made-up ones."""
    folder = os.environ.get("BAMBOO_DATA")
    if not folder:
        return list(made_up_documents(count))
    passages = list(read_passages(Path(folder)).passages)
    random.Random(5).shuffle(passages)
    return [Document(each.id, "", each.title, each.text, "text/plain") for each in passages[:count]]


def write_ours(settings: Settings, given: list[Document]) -> dict[str, float]:
    """Memorise the documents; return seconds, the share of them not spent in this process, and chunks."""
    with Memory.open(MEMORY, settings=settings) as memory:
        memory.remember(given[:5])  # the first statements are planned now
        started, busy = perf_counter(), process_time()
        done = memory.remember(given)
        seconds, busy = perf_counter() - started, process_time() - busy
    return {"seconds": seconds, "waiting": 1 - busy / seconds, "chunks": done.chunks, "pairs": done.pairs}


def write_plain(database: Database, rows: list[Any], *, at_once: bool) -> float:
    """Write the chunks one transaction each, a statement a pair or one for all its pairs; return seconds."""
    for statement in PLAIN_SCHEMA:
        database.run(statement, write=True)
    started = perf_counter()
    for row in rows:
        database.write(partial(plain_chunk, row, at_once=at_once))
    seconds = perf_counter() - started
    database.run(WIPE, write=True)
    for statement in UNSCHEMA:
        database.run(statement, write=True)
    return seconds


def plain_chunk(row: Mapping[str, Any], transaction: neo4j.ManagedTransaction, *, at_once: bool) -> None:
    """Write one chunk as one would at first."""
    transaction.run(PLAIN_CHUNK, id=row["id"], text=row["text"]).consume()
    for tag in row["tags"]:
        transaction.run(PLAIN_TAG, id=row["id"], tag=tag).consume()
    pairs = list(combinations(row["tags"], 2))
    if at_once:
        transaction.run(PLAIN_PAIRS, pairs=pairs).consume()
    else:
        for a, b in pairs:
            transaction.run(PLAIN_PAIR, a=a, b=b).consume()


def round_of(settings: Settings, database: Database, given: list[Document]) -> dict[str, float]:
    """Write the same chunks in each way; return the seconds of each, and what ours waited and wrote."""
    say("ours")
    ours = write_ours(settings, given)
    rows = database.run(TAGS_OF_CHUNKS, memory=MEMORY)
    with Memory.open(MEMORY, settings=settings) as memory:
        memory.forget_all()
    say("plain, a statement a pair")
    each = write_plain(database, rows, at_once=False)
    say("plain, a statement a chunk")
    once = write_plain(database, rows, at_once=True)
    say(f"seconds: ours {ours['seconds']:.1f}, a MERGE a pair {each:.1f}, an UNWIND a chunk {once:.1f}")
    return {**ours, "each": each, "once": once, "chunks": len(rows)}


def main() -> None:
    """Let the writers take turns and print the median of each, and chunks a second."""
    parser = options("Time writing.")
    parser.add_argument("--chunks", type=int, default=1000)
    parser.set_defaults(rounds=3)
    given = parser.parse_args()
    count, rounds = (60, 1) if given.quick else (given.chunks, given.rounds)
    passages = documents(count)
    with server(given) as settings, Database(settings) as database:
        found = [round_of(settings, database, passages) for _ in range(rounds)]
    middle = {name: median(each[name] for each in found) for name in found[0]}
    facts = {
        **machine(),
        "documents": len(passages),
        "chunks": int(middle["chunks"]),
        "pairs": int(middle["pairs"]),
        "rounds": rounds,
        "MiB at most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "share of our time not spent in this process": round(middle["waiting"], 2),
    }
    seconds = {
        "remember": middle["seconds"],
        "plain, a transaction a chunk, a MERGE a pair": middle["each"],
        "plain, a transaction a chunk, an UNWIND of its pairs": middle["once"],
    }
    report(seconds, facts=facts, chunks=middle["chunks"], as_json=given.json)


def report(seconds: dict[str, float], *, facts: dict[str, object], chunks: float, as_json: bool) -> None:
    """Print seconds, chunks a second, and how many times as long as ours each takes."""
    rows = {
        name: {"seconds": taken, "chunks/s": chunks / taken, "x ours": taken / seconds["remember"]}
        for name, taken in seconds.items()
    }
    if as_json:
        print(json.dumps({"facts": facts, "figures": rows}, indent=2))
        return
    print("; ".join(f"{name} {value}" for name, value in facts.items()))
    for name, row in rows.items():
        print(f"{name:54}" + "".join(f"  {value:8.1f} {unit}" for unit, value in row.items()))


if __name__ == "__main__":
    main()
