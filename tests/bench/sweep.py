"""Time a sweep that brings every used edge of a memory to its cycle, and kill it on the way.

    python -m tests.bench.sweep --edges 1000000 --kills 5

The edges are emergent ones, used at cycle 0, of a memory whose clock stands at 7, so each has to be written.
First one sweep runs through (edges a second, longest batch); then, at cycle 20, `bamboo maintain` is killed
again and again before it is let through. After each, every strength is proved against the closed form.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from bamboo_neo4j import Memory
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import connect
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.learn.maintaining import LIMIT
from bamboo_neo4j.learn.plasticity import FADED, current
from bamboo_neo4j.normalise import normaliser
from tests.bench.timing import Database, machine, options, say, server

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bamboo_neo4j.graph.client import GraphClient
    from bamboo_neo4j.settings import Settings

    Run = Callable[..., list[dict[str, Any]]]

DEGREE = 50
"""Edges that begin at each tag."""
TAGS = 100
"""Tags of one transaction of planting."""
USED = 0.9

_TAGS = """UNWIND range($first, $last) AS i
CREATE (:Tag {memory: $memory, id: $base + i, key: 'tag ' + right('000000' + i, 7), name: 'tag ' + i,
  display: 'Tag ' + i})"""
_EDGES = """UNWIND range($first, $last) AS i
MATCH (a:Tag {id: $base + i})
UNWIND range(i + 1, i + $degree) AS j
MATCH (b:Tag {id: $base + j}) WHERE b.memory = $memory
CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: 0, emergent: true, activations: 3, usedStrength: $used,
  usedCycle: 0, strength: $used, rank: $used / 0.5}]->(b)"""
_CLOCK = "MATCH (m:BambooMemory {name: $memory}) SET m.cycle = $cycle"
_PROOF = """MATCH (a:Tag)-[edge:CO_OCCURS]->() WHERE a.memory = $memory AND a.key > ''
RETURN count(*) AS edges, count(CASE WHEN abs(edge.strength - $strength) <= 1e-9
  AND abs(edge.rank - $strength / 0.5) <= 1e-9 THEN 1 END) AS right"""
_STATE = """MATCH (m:BambooMemory {name: $memory})
RETURN m.cycle AS cycle, m.swept AS swept, m.sweeping AS sweeping, m.sweepAfter AS after"""


def plant(run: Run, memory: str, edges: int) -> int:
    """Make a memory of `edges` used edges, roughly; return how many there are."""
    tags = max(edges // DEGREE, DEGREE)
    words = normaliser("en").fingerprint
    run(load("memorise/create_memory").text, memory=memory, language="en", normaliser=words)
    base = run(load("memorise/lease_tag_ids").text, count=tags)[0]["first"]
    for query in (_TAGS, _EDGES):
        for first in range(0, tags, TAGS):
            last = min(first + TAGS, tags) - 1
            run(query, memory=memory, base=base, first=first, last=last, degree=DEGREE, used=USED)
    return int(run(_PROOF, memory=memory, strength=USED)[0]["right"])


def prove(run: Run, memory: str, *, cycle: int) -> int:
    """Return how many edges are not as the closed form has them; an unfinished sweep is an error."""
    state = run(_STATE, memory=memory)[0]
    if (state["cycle"], state["swept"], state["sweeping"]) != (cycle, cycle, None):
        raise RuntimeError(f"the sweep is not done: {state}")
    row = run(_PROOF, memory=memory, strength=current(USED, cycle, FADED))[0]
    return int(row["edges"] - row["right"])


def kill(settings: Settings, run: Run, memory: str, *, batches: int = 2, patience: float = 120.0) -> bool:
    """Run `bamboo maintain` in a process and kill it once a sweep has moved on by some batches.

    Return whether it was killed on the way; it may have finished before.
    """
    environment = {**os.environ, "NEO4J_URI": settings["uri"], "BAMBOO_MEMORY": memory}
    command = [sys.executable, "-m", "bamboo_neo4j", "maintain"]
    seen = run(_STATE, memory=memory)[0]["after"]
    deadline = perf_counter() + patience
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and batches and perf_counter() < deadline:
            after = run(_STATE, memory=memory)[0]["after"]
            batches, seen = batches - (after != seen), after
            sleep(0.005)
        process.send_signal(signal.SIGKILL)
    return run(_STATE, memory=memory)[0]["sweeping"] is not None


def main() -> None:
    """Plant, sweep, kill, prove, print."""
    parser = options(__doc__ or "")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=5)
    given = parser.parse_args()
    edges = 20_000 if given.quick else given.edges
    with server(given) as settings, Database(settings) as database:
        result = measure(settings, database, edges=edges, kills=given.kills)
    if given.json:
        print(json.dumps(result, indent=2))
    for name, value in {} if given.json else result.items():
        print(f"{name}: {value}")


def measure(settings: Settings, database: Database, *, edges: int, kills: int) -> Mapping[str, object]:
    """Return the figures of one memory of `edges` edges, which is forgotten at the end."""
    memory = f"bench-sweep-{edges}"

    def run(query: str, **parameters: object) -> list[dict[str, Any]]:
        return [row.data() for row in database.run(query, write=True, **parameters)]

    with Memory.open(memory, settings=settings) as opened:
        with _connected(settings) as client:
            schema.prepare(client)
        try:
            planted = plant(run, memory, edges)
            say(f"{planted} edges planted")
            figures = _sweep(settings, run, memory, cycle=7)
            killed = _killed(settings, run, memory, cycle=20, kills=kills)
            return {"machine": machine(), "edges": planted, **figures, **killed}
        finally:
            opened.forget_all()


def _connected(settings: Settings) -> GraphClient:
    return connect(settings["uri"], username=settings["username"], password=settings["password"])


def _sweep(settings: Settings, run: Run, memory: str, *, cycle: int) -> dict[str, object]:
    """Sweep once, without a rest between batches, and prove the result."""
    run(_CLOCK, memory=memory, cycle=cycle)
    parameters = {"memory": memory, "limit": LIMIT}
    times, written = [], 0
    with _connected(settings) as client:
        while True:
            started = perf_counter()
            row = client.write(lambda transaction: transaction.run("learn/decay", parameters))[0]
            times.append(perf_counter() - started)
            written += row["edges"]
            if not row["remaining"]:
                break
    return {
        "edges a second": round(written / sum(times)),
        "batches": len(times),
        "longest batch, ms": round(1000 * max(times)),
        "wrong after the sweep": prove(run, memory, cycle=cycle),
    }


def _killed(settings: Settings, run: Run, memory: str, *, cycle: int, kills: int) -> dict[str, object]:
    """Kill a sweep again and again, let it finish, and prove the result."""
    run(_CLOCK, memory=memory, cycle=cycle)
    unfinished = sum(kill(settings, run, memory) for _ in range(kills))
    with Memory.open(memory, settings=settings) as opened:
        left = opened.maintain().decayed
    return {
        "killed on the way": unfinished,
        "edges left to the last run": left,
        "wrong after the kills": prove(run, memory, cycle=cycle),
    }


if __name__ == "__main__":
    main()
