"""Time writing, updating and forgetting a document beside graphs of growing size.

    python -m tests.bench.updates --home /var/tmp/bench

The graphs are synthetic, with hubs of growing degree. The chunks of a document have twelve tags each: of the
tail of the graph, or one of them a hub. An update changes the tags of every second chunk.
"""

from __future__ import annotations

import json
import random
from functools import partial
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from bamboo_neo4j.graph.client import GraphClient, connect
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.normalise import normaliser
from tests.bench.synthetic import HUBS, TAGS_A_CHUNK, Size, make, size_of, tag_name
from tests.bench.timing import machine, options, say, server
from tests.graph.drafts import Content, draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from bamboo_neo4j.settings import Settings

GRAPHS = ((20_000, 1_000), (200_000, 10_000), (2_000_000, 100_000))
"""Edges, and the degree of the hubs."""
CHUNKS = (1, 10, 100)
WARM_UP = 3


def content(choose: random.Random, size: Size, *, chunks: int, hub: bool) -> Content:
    """Return the tags of a document's chunks."""
    return [
        [
            *([tag_name(choose.randrange(HUBS))] if hub else []),
            *(tag_name(number) for number in choose.sample(range(HUBS, size.tags), TAGS_A_CHUNK - hub)),
        ]
        for _ in range(chunks)
    ]


def changed(before: Content, after: Content) -> Content:
    """Return `before` with every second chunk as it is in `after`."""
    return [
        new if place % 2 == 0 else old for place, (old, new) in enumerate(zip(before, after, strict=True))
    ]


def measure(client: GraphClient, size: Size, *, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each piece of work on the memory of `size`, round by round."""
    writer = Writer(client, memory=size.memory, normaliser=normaliser("en").fingerprint)
    choose = random.Random(11)
    taken: dict[str, list[float]] = {}
    for number in range(rounds + WARM_UP):
        for chunks in CHUNKS:
            for hub in (False, True):
                first, second = (content(choose, size, chunks=chunks, hub=hub) for _ in range(2))
                drafts = [draft(size.memory, "bench", each) for each in (first, changed(first, second))]
                works: dict[str, Callable[[], object]] = {
                    "write": partial(writer.write, drafts[:1]),
                    "update": partial(writer.write, drafts[1:]),
                    "forget": partial(writer.forget, "bench"),
                }
                for name, work in works.items():
                    started = perf_counter()
                    work()
                    milliseconds = 1000 * (perf_counter() - started)
                    if number >= WARM_UP:
                        key = f"{name}, {chunks} chunks, {'with a hub' if hub else 'no hub'}"
                        taken.setdefault(key, []).append(milliseconds)
    return taken


def on(settings: Settings, edges: int, degree: int, *, rounds: int) -> dict[str, float]:
    """Make the graph, measure on it and return the medians."""
    size = size_of(edges, degree)
    make(settings, size)
    say(f"measuring beside {edges:,} edges, hubs of degree {degree:,}")
    with connect(settings["uri"], username=settings["username"], password=settings["password"]) as client:
        taken = measure(client, size, rounds=rounds)
    return {name: median(times) for name, times in taken.items()}


def main() -> None:
    """Measure on each graph and print medians, and what the largest takes of the smallest."""
    parser = options("Time updates.")
    parser.add_argument(
        "--graphs", type=int, default=len(GRAPHS), help="how many of the graphs, smallest first"
    )
    parser.set_defaults(rounds=15)
    given = parser.parse_args()
    graphs = GRAPHS[:1] if given.quick else GRAPHS[: given.graphs]
    with server(given) as settings:
        found = {edges: on(settings, edges, degree, rounds=given.rounds) for edges, degree in graphs}
    if given.json:
        print(json.dumps({"facts": machine(), "milliseconds": found}, indent=2))
        return
    print("; ".join(f"{name} {value}" for name, value in machine().items()))
    print(f"{'ms beside so many edges':40}" + "".join(f"{edges:>12,}" for edges in found) + "  last/first")
    smallest, *_, largest = found.values() if len(found) > 1 else [*found.values()] * 2
    for name in smallest:
        row = "".join(f"{each[name]:12.1f}" for each in found.values())
        print(f"{name:40}{row}{largest[name] / smallest[name]:12.2f}")


if __name__ == "__main__":
    main()
