"""Measure the resident memory of an ingest while it goes through more and more small documents.

    python -m tests.bench.memory --documents 20000

The documents are passages of one JSON Lines file, read, cut and tagged by the rules as `bamboo ingest` does.
What a listing and a recall that matches everything take afterwards is printed too.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from time import perf_counter

import psutil

from bamboo_neo4j import Memory
from tests.bench.timing import machine, options, say, server

MEMORY = "bench-memory"
MARKS = (1_000, 5_000, 10_000, 20_000, 50_000, 100_000)
NAMES = [
    f"{first} {last}" for first in ("Ada", "Leo", "Mira", "Tove") for last in ("Kern", "Brandt", "Solen")
]


def write_passages(path: Path, count: int) -> None:
    """Write `count` passages of about thirty words."""
    choose = random.Random(3)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            one, two = choose.sample(NAMES, 2)
            place = f"Port {chr(65 + choose.randrange(26))}{choose.randrange(count // 10 + 1)}"
            text = (
                f"{one} met {two} at {place} in {choose.randint(1900, 1999)}. The harbour was quiet, "
                f"and they spoke about the letters that had been lost on the way to {place}."
            )
            file.write(json.dumps({"id": f"p{number}", "title": place, "text": text}) + "\n")


def megabytes() -> float:
    """Return the resident memory of this process."""
    return float(psutil.Process().memory_info().rss) / 1e6


def ingest(memory: Memory, path: Path) -> dict[int, float]:
    """Ingest the file; return the resident memory in MB at each mark."""
    seen = 0
    found: dict[int, float] = {}

    def progress(_source: str, _outcome: str) -> None:
        nonlocal seen
        seen += 1
        if seen in MARKS:
            found[seen] = megabytes()
            say(f"{seen:,} documents: {found[seen]:.0f} MB, {perf_counter() - started:.0f} s")

    started = perf_counter()
    memory.ingest([path], progress=progress)
    return found


def afterwards(memory: Memory) -> dict[str, float]:
    """Return the resident memory in MB after reading every tag, every document, and a question for all."""
    found = {}
    for _ in memory.tags():
        pass
    found["all tags read"] = megabytes()
    for _ in memory.documents():
        pass
    found["all documents read"] = megabytes()
    memory.recall(", ".join(NAMES) + " harbour letters")
    found["a question that matches everything"] = megabytes()
    return found


def main() -> None:
    """Measure and print."""
    parser = options("Measure the resident memory of an ingest.")
    parser.add_argument("--documents", type=int, default=20_000)
    given = parser.parse_args()
    count = 1_000 if given.quick else given.documents
    with tempfile.TemporaryDirectory() as folder, server(given) as settings:
        path = Path(folder) / "passages.jsonl"
        write_passages(path, count)
        with Memory.open(MEMORY, settings=settings) as memory:
            memory.forget_all()
            begun = megabytes()
            found = ingest(memory, path)
            rest = afterwards(memory)
            memory.forget_all()
    grown = max(found.values()) - found[1_000]
    if given.json:
        print(
            json.dumps({"facts": machine(), "begun": begun, "marks": found, "grown": grown, **rest}, indent=2)
        )
        return
    print("; ".join(f"{name} {value}" for name, value in machine().items()))
    print(f"{'before':40}{begun:8.0f} MB")
    for documents, size in found.items():
        print(f"{f'{documents:,} documents':40}{size:8.0f} MB")
    print(f"{'grown after the first 1,000':40}{grown:8.0f} MB")
    for name, size in rest.items():
        print(f"{name:40}{size:8.0f} MB")


if __name__ == "__main__":
    main()
