"""Time recall of chunks against `RETURN 1`, on real passages and on a synthetic memory.

BAMBOO_DATA=folder python -m tests.bench.recall
python -m tests.bench.recall --edges 2000000
"""

from __future__ import annotations

import os
import random
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.evaluate.datasets import Dataset, read_dataset
from bamboo_neo4j.records import Document
from tests.bench import synthetic
from tests.bench.timing import PROBE, Database, Work, figures, options, say, server, show, take_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.settings import Settings

MEMORY = "bench-passages"


def read_passages(folder: Path) -> Dataset:
    """Pool every file of the folder's sets that is in one of the known formats."""
    files = sorted(path for path in folder.glob("*/*.jsonl.gz") if "unanswerable" not in path.name)
    return read_dataset(path for path in files if "openie" not in path.name)


def remember(memory: Memory, dataset: Dataset) -> None:
    """Memorise the passages; those that are there already cost nothing."""
    say(f"memorising {len(dataset.passages):,} passages")
    memory.remember(Document(each.id, "", each.title, each.text, "text/plain") for each in dataset.passages)


def made_up_questions(size: synthetic.Size, count: int) -> list[str]:
    """Questions of two tags and four words; every fourth names two hubs."""
    drawn = random.Random(3)
    hubs = [synthetic.tag_name(number) for number in range(synthetic.HUBS)]
    questions = []
    for number in range(count):
        tags = [synthetic.tag_name(min(int(drawn.paretovariate(0.3)), size.tags - 1)) for _ in range(2)]
        names = drawn.sample(hubs, 2) if number % 4 == 0 else tags
        words = [synthetic.word(min(int(5 * drawn.paretovariate(0.5)), size.words - 1)) for _ in range(4)]
        questions.append(f"{' and '.join(names)} {' '.join(words)}?")
    return questions


def ask(memory: Memory, questions: Sequence[str], number: int) -> int:
    """Recall the chunks of one question, and no associations."""
    try:
        return len(memory.recall(questions[number % len(questions)], associations=False).chunks)
    except NothingRecalled:
        return 0


def measure(settings: Settings, name: str, questions: Sequence[str], *, rounds: int, as_json: bool) -> None:
    """Let recall and the probe take turns, and print the figures."""
    with Memory.open(name, settings=settings) as memory, Database(settings) as database:
        edges = database.run(synthetic.EDGES, memory=name)[0]["edges"]
        chunks = database.run(synthetic.MEMORY, memory=name)[0]["chunks"]
        works: dict[str, Work] = {
            PROBE: lambda _: database.run(PROBE),
            "recall": partial(ask, memory, questions),
        }
        found = figures(take_turns(works, rounds=rounds, warm_up=len(questions)))
        facts = {"memory": name, "chunks": chunks, "edges": edges, "questions": len(questions)}
        show(found, facts=facts, as_json=as_json)


def main() -> None:
    """Measure on the passages of BAMBOO_DATA, or with `--edges` on a synthetic memory."""
    parser = options("Time recall of chunks.")
    parser.add_argument("--edges", type=int, help="use a synthetic memory of this size")
    parser.add_argument("--degree", type=int, default=100_000, help="of its hubs")
    parser.add_argument("--questions", type=int, default=400)
    given = parser.parse_args()
    count, rounds = (20, 20) if given.quick else (given.questions, max(given.rounds, given.questions))
    with server(given) as settings:
        if given.edges or given.quick or not os.environ.get("BAMBOO_DATA"):
            edges = given.edges or 2_000_000
            size = synthetic.size_of(*((100_000, 5_000) if given.quick else (edges, given.degree)))
            synthetic.make(settings, size)
            questions, name = made_up_questions(size, count), size.memory
        else:
            dataset, name = read_passages(Path(os.environ["BAMBOO_DATA"])), MEMORY
            with Memory.open(name, settings=settings) as memory:
                remember(memory, dataset)
            questions = random.Random(3).sample([each.text for each in dataset.scored], count)
        measure(settings, name, questions, rounds=rounds, as_json=given.json)


if __name__ == "__main__":
    main()
