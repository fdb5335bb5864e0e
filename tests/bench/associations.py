"""Time the associations of hubs against `RETURN 1` and against the plain plan, on a synthetic memory.

python -m tests.bench.associations --edges 2000000
"""

from __future__ import annotations

from functools import partial

from bamboo_neo4j.graph.statements import load
from tests.bench import synthetic
from tests.bench.timing import PROBE, Database, Work, figures, options, server, show, take_turns

# What one would write first: it reads and sorts every edge of the hub.
PLAIN = """
MATCH (a:Tag {memory: $memory, key: $key})-[r:CO_OCCURS]-(b)
RETURN b.name AS tag, r.weight AS weight ORDER BY r.weight DESC LIMIT 5
"""
PLAIN_FIVE = """
UNWIND $cues AS key MATCH (a:Tag {memory: $memory, key: key})
CALL (a) {
  MATCH (a)-[r:CO_OCCURS]-(b) RETURN b.name AS tag, r.weight AS weight ORDER BY r.weight DESC LIMIT 5
}
RETURN key, tag, weight
"""


def main() -> None:
    """Let the statement of recall, the plain ones and the probe take turns."""
    parser = options("Time associations at hubs.")
    parser.add_argument("--edges", type=int, default=2_000_000)
    parser.add_argument("--degree", type=int, default=100_000, help="of the hubs")
    given = parser.parse_args()
    size = synthetic.size_of(*((100_000, 5_000) if given.quick else (given.edges, given.degree)))
    rounds = 20 if given.quick else given.rounds
    with server(given) as settings, Database(settings) as database:
        synthetic.make(settings, size)
        hubs = [synthetic.tag_name(number) for number in range(synthetic.HUBS)]
        ask = partial(
            database.run, load("recall/associate").text, memory=size.memory, fetch=50, fetchSecond=20, cycle=0
        )
        works: dict[str, Work] = {
            PROBE: lambda _: database.run(PROBE),
            "one hub, first degree": lambda number: ask(cues=[hubs[number % len(hubs)]], first=5, second=0),
            "one hub, both degrees": lambda number: ask(cues=[hubs[number % len(hubs)]], first=5, second=3),
            "five hubs, first degree": lambda _: ask(cues=hubs, first=5, second=0),
            "five hubs, both degrees": lambda _: ask(cues=hubs, first=5, second=3),
            "one hub, plain": lambda number: database.run(
                PLAIN, memory=size.memory, key=hubs[number % len(hubs)]
            ),
            "five hubs, plain": lambda _: database.run(PLAIN_FIVE, memory=size.memory, cues=hubs),
        }
        found = figures(take_turns(works, rounds=rounds, warm_up=10 if given.quick else 50))
        edges = database.run(synthetic.EDGES, memory=size.memory)[0]["edges"]
        degree = min(
            record["degree"] for record in database.run(synthetic.DEGREES, memory=size.memory)[: len(hubs)]
        )
        show(found, facts={"edges": edges, "degree of the hubs": degree}, as_json=given.json)


if __name__ == "__main__":
    main()
