"""What the benchmarks share: a server, rounds that take turns, and figures relative to `RETURN 1`.

A ratio inside one run on one machine can be compared with a ratio elsewhere; milliseconds cannot.
Every round runs each piece of work once, so that a busy moment of the machine meets all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Self

import neo4j

from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROBE = "RETURN 1"
Work = Callable[[int], object]
"""One piece of work, given the number of its round."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Milliseconds of one piece of work, and its p50 as a multiple of the probe's in the same run."""

    name: str
    p50: float
    p95: float
    ratio: float
    samples: int


def options(description: str) -> argparse.ArgumentParser:
    """Make the parser of a benchmark with what all of them take."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--uri", default=os.environ.get("NEO4J_URI", ""), help="a server; default: one of its own"
    )
    parser.add_argument("--username", default=os.environ.get("NEO4J_USERNAME", "neo4j"))
    parser.add_argument("--database", default=os.environ.get("NEO4J_DATABASE", ""))
    parser.add_argument(
        "--home", type=Path, help="keep the own server's data here; default: a temporary folder"
    )
    parser.add_argument("--heap", default="2g", help="of the own server")
    parser.add_argument("--rounds", type=int, default=200, help="samples of each piece of work")
    parser.add_argument("--quick", action="store_true", help="a small graph and few rounds: does it work?")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


@contextmanager
def server(given: argparse.Namespace) -> Iterator[Settings]:
    """Yield settings for the server at `--uri` (its password in NEO4J_PASSWORD), else for one of our own.

    Our own has the full compiler of the JVM: what starts quickly runs slowly, and would flatter no one.
    """
    if given.uri:
        yield read_settings({"uri": given.uri, "username": given.username, "database": given.database})
        return
    # A terminated benchmark stops its server and removes its folder too, as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="bamboo-bench-", ignore_cleanup_errors=True) as folder:
        local = LocalServer(read_settings({"home": str(given.home or folder)}))
        running = local.start(auth=False, http=False, heap=given.heap)
        try:
            yield read_settings({"uri": running.uri, "username": running.username}, environ={})
        finally:
            local.stop()


class Database:
    """The server as a plain program sees it: one statement, or one transaction, a session."""

    def __init__(self, settings: Settings) -> None:
        auth = (settings["username"], settings["password"]) if settings["password"] else None
        self._database = settings["database"] or None
        self._driver = neo4j.GraphDatabase.driver(
            settings["uri"], auth=auth, notifications_min_severity="OFF", telemetry_disabled=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._driver.close()

    def run(self, text: str, *, write: bool = False, **parameters: object) -> list[neo4j.Record]:
        """Run one auto-commit statement and fetch all of its records, as recall does."""
        with self._session(neo4j.WRITE_ACCESS if write else neo4j.READ_ACCESS) as session:
            return list(session.run(neo4j.Query(text), parameters))

    def write(self, work: Callable[[neo4j.ManagedTransaction], object]) -> None:
        """Run one managed write transaction."""
        with self._session(neo4j.WRITE_ACCESS) as session:
            session.execute_write(work)

    def _session(self, access: str) -> neo4j.Session:
        return self._driver.session(database=self._database, default_access_mode=access, fetch_size=-1)


def take_turns(works: Mapping[str, Work], *, rounds: int, warm_up: int = 100) -> dict[str, list[float]]:
    """Run every work once a round, given the round's number; return the milliseconds of each.

    The order is turned from round to round: none always runs after the heaviest.
    """
    for number in range(warm_up):
        for work in works.values():
            work(number)
    taken: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for number in range(rounds):
        names = names[1:] + names[:1]
        for name in names:
            started = perf_counter()
            works[name](number)
            taken[name].append(1000 * (perf_counter() - started))
    return taken


def figures(taken: Mapping[str, Sequence[float]]) -> list[Figure]:
    """Summarise what `take_turns` measured; the probe is one of the works."""
    probe = median(taken[PROBE])
    return [
        Figure(name, median(times), quantiles(times, n=20)[-1], median(times) / probe, len(times))
        for name, times in taken.items()
    ]


def show(found: Sequence[Figure], *, facts: Mapping[str, object], as_json: bool) -> None:
    """Print the figures with what they were measured on."""
    facts = {**machine(), **facts}
    if as_json:
        print(json.dumps({"facts": facts, "figures": [asdict(each) for each in found]}, indent=2))
        return
    print("; ".join(f"{name} {value}" for name, value in facts.items()))
    width = max(len(each.name) for each in found)
    print(f"{'':{width}}  {'p50 ms':>8}  {'p95 ms':>8}  {'x ' + PROBE:>10}")
    for each in found:
        print(f"{each.name:{width}}  {each.p50:8.2f}  {each.p95:8.2f}  {each.ratio:10.1f}")


def machine() -> dict[str, object]:
    """Say what this runs on."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "driver": neo4j.__version__,
        "load": round(os.getloadavg()[0], 1),
    }


def say(text: str) -> None:
    """Tell on standard error what is going on."""
    print(text, file=sys.stderr, flush=True)
