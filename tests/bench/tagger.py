"""Words a second of the rule tagger on one core, beside a plain loop over ``str.split``.

Run ``python -m tests.bench.tagger --words 50000``. The text is made of sentences of an encyclopedia's kind,
in chunks of about a hundred words; the best of five runs counts. Times are those of the process, so what else
runs on the machine matters little.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.rules import tag_chunk
from bamboo_neo4j.normalise import chunk_terms, normaliser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RUNS = 5
_FIRST = ["Ada", "Boris", "Carla", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas"]
_LAST = [
    "Marten",
    "Kowalski",
    "Bellini",
    "Osei",
    "Haraldsen",
    "Quint",
    "Sorokin",
    "Tanaka",
    "Ulrich",
    "Vance",
]
_PLACE = ["Port Ellery", "Saint Corvin", "North Halden", "Lake Merrow", "Vasa Bay", "Tower of Brint"]
_THING = ["bridge", "observatory", "canal", "opera house", "power station", "public library", "tidal mill"]
_SENTENCES = (
    "{first} {last} (born {day} March {year}) is an engineer from {place}, known for the {thing}.",
    "The {thing} was designed in {year} by {first} {last}, taught by {last}.",
    "In {year}, the University of {place} awarded {first} a prize for research on the {thing} and the sea.",
    "It is one of the oldest buildings in the region, and the {thing} attracts thousands of visitors a year.",
    '"The Keeper of {place}", a novel by {first} {last}, tells of a storm that destroyed the old {thing}.',
    "After the war the council of {place} sold the {thing} to a company that repaired ships and engines.",
)


def chunks(words: int, seed: int) -> Iterator[tuple[str, str]]:
    """Give (title, text) until there are at least `words` words."""
    pick = random.Random(seed)
    made = 0
    while made < words:
        sentences = [
            pick.choice(_SENTENCES).format(
                first=pick.choice(_FIRST),
                last=pick.choice(_LAST),
                place=pick.choice(_PLACE),
                thing=pick.choice(_THING),
                year=pick.randrange(1800, 2020),
                day=pick.randrange(1, 29),
            )
            for _ in range(6)
        ]
        text = " ".join(sentences)
        made += len(text.split())
        yield f"{pick.choice(_FIRST)} {pick.choice(_LAST)}", text


def seconds(work: Callable[[], object]) -> float:
    """Return the best of `RUNS` runs."""
    taken = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made = list(chunks(options.words, options.seed))
    words = sum(len(text.split()) for _, text in made)
    english = normaliser("en")

    def tag() -> None:
        for title, text in made:
            tag_chunk(text, title=title, normaliser=english, tokens=150)
            chunk_terms(english, title, text)

    def split() -> None:
        for _, text in made:
            for word in text.split():
                word.lower()

    tagging, splitting = seconds(tag), seconds(split)
    print(f"{words} words in {len(made)} chunks")
    print(f"tags and terms: {words / tagging:,.0f} words/s")
    print(f"split and lower: {words / splitting:,.0f} words/s, {tagging / splitting:.1f} times as fast")


if __name__ == "__main__":
    main()
