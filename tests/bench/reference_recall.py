"""Recall@k of the ranking in memory, beside BM25, with the constants as they are or others to try.

    BAMBOO_DATA=folder python -m tests.bench.reference_recall
    BAMBOO_DATA=folder python -m tests.bench.reference_recall --sets tldr --try ranking.BRIDGE=0 --lower

No server is needed: `tests/reference.py` holds each set in dictionaries and ranks as the product does; that
recall through Neo4j gives the same is proved elsewhere. `--try` sets a constant of `recall.ranking` or
`recall.cues` for this run; `--lower` asks the questions in lower case; `--halves` shows the even and the odd
questions apart. The set `tldr_other` is 1,200 further questions about manual pages. Figures are per cent.
"""

from __future__ import annotations

import argparse
import os
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo_neo4j.evaluate.baselines import bm25
from bamboo_neo4j.evaluate.datasets import Dataset, Question, read_dataset
from bamboo_neo4j.evaluate.metrics import DEPTHS, Ranked, score_retrieval
from bamboo_neo4j.recall import cues, ranking
from tests.reference import ReferenceMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bamboo_neo4j.evaluate.baselines import Ranker
    from bamboo_neo4j.evaluate.metrics import Scores

SETS = {
    "hotpotqa": ("hotpotqa/dev_100.jsonl.gz", "hotpotqa/train_100.jsonl.gz"),
    "musique": ("musique/musique.jsonl.gz",),
    "2wikimultihopqa": ("2wikimultihopqa/train.jsonl.gz",),
    "lihua_world": ("lihua_world/chats.jsonl.gz", "lihua_world/questions.jsonl.gz"),
    "tldr": ("tldr/passages.jsonl.gz", "tldr/questions.jsonl.gz"),
    "tldr_other": ("tldr/passages.jsonl.gz", "tldr/questions.jsonl.gz"),
}
OTHERS, SEED = 1200, 7
FEWEST_EXAMPLES, SHORTEST = 4, 8


def main() -> None:
    """Print a table of the chosen sets."""
    given = _arguments()
    _set_constants(given.constants)
    print(f"{'':24}" + "".join(f"{f'R@{depth}':>8}" for depth in DEPTHS) + f"{'AR@5':>8}")
    for name in given.sets:
        dataset = read_dataset(given.data / file for file in SETS[name])
        if name == "tldr_other":
            dataset = other_questions(dataset)
        asked = dataset.scored
        memory = remember(dataset)
        methods: dict[str, Callable[[str], Sequence[str]]] = {"bamboo": partial(ids, memory)}
        if not given.constants:
            methods["BM25"] = partial(_deep, bm25(dataset.passages))
        for method, rank in methods.items():
            print(_line(f"{name} {method}", _score(asked, rank, lower=given.lower)), flush=True)
            for half, part in (("even", asked[::2]), ("odd", asked[1::2])) if given.halves else ():
                print(_line(f"  {half}", _score(part, rank, lower=given.lower)), flush=True)


def other_questions(pages: Dataset) -> Dataset:
    """Make questions from manual pages that have none yet: a line of the page, which then lacks that line."""
    pick = random.Random(SEED)
    asked = {gold for question in pages.questions for gold in question.gold}
    passages, questions = list(pages.passages), []
    places = [place for place, page in enumerate(passages) if page.id not in asked]
    pick.shuffle(places)
    for place in places:
        page = passages[place]
        lines = page.text.split("\n")
        examples = [number for number, line in enumerate(lines) if number and ": " in line]
        if len(examples) < FEWEST_EXAMPLES:
            continue
        chosen = pick.choice(examples)
        text = lines.pop(chosen).split(": ")[0].strip()
        if len(text) < SHORTEST:
            continue
        passages[place] = replace(page, text="\n".join(lines))
        questions.append(Question(page.id, text, frozenset({page.id})))
        if len(questions) == OTHERS:
            break
    return Dataset(tuple(passages), tuple(questions))


def remember(dataset: Dataset) -> ReferenceMemory:
    """Memorise every passage as one chunk."""
    memory = ReferenceMemory()
    for passage in dataset.passages:
        memory.add(passage.id, passage.title, passage.text)
    return memory


def ids(memory: ReferenceMemory, question: str) -> list[str]:
    """Return the passages for `question`, best first."""
    return [each.candidate.id for each in memory.recall(question, limit=max(DEPTHS))]


def _deep(rank: Ranker, question: str) -> list[str]:
    return rank(question, max(DEPTHS))


def _score(asked: Sequence[Question], rank: Callable[[str], Sequence[str]], *, lower: bool) -> Scores:
    found = [rank(each.text.lower() if lower else each.text) for each in asked]
    return score_retrieval(
        [(each.gold, Ranked(tuple(ids), 0, 0.0)) for each, ids in zip(asked, found, strict=True)]
    )


def _line(name: str, scores: Scores) -> str:
    shares = [*(scores.recall[depth] for depth in DEPTHS), scores.all_recall]
    return f"{name:24}" + "".join(f"{100 * share:8.1f}" for share in shares)


def _set_constants(constants: Sequence[str]) -> None:
    for each in constants:
        name, _, value = each.partition("=")
        module, _, constant = name.partition(".")
        setattr({"ranking": ranking, "cues": cues}[module], constant, float(value))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("BAMBOO_DATA"), help="folder of the sets")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--try", dest="constants", nargs="+", default=[], metavar="ROOM.CONSTANT=VALUE")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--halves", action="store_true")
    given = parser.parse_args()
    if given.data is None:
        parser.error("say where the sets are: --data or BAMBOO_DATA")
    given.data = Path(given.data)
    return given


if __name__ == "__main__":
    main()
