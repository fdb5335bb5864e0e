"""Random schedules of ingest, update, forget and recall by several processes, with faults; run it for long.

    python -m tests.faults.schedules --schedules 300 --seed 1

Each schedule: three processes work on a few documents of one memory at once while commits are broken before
or after they reach the server, clients and (every so often) the server are killed with SIGKILL. Then each
document gets its last version once more, undisturbed, as a user would run the command again. The memory must
then be clean under `check` and equal to one that was written without any fault.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from neo4j import Driver, GraphDatabase

from bamboo_neo4j import Memory
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.records import Document
from bamboo_neo4j.settings import read_settings
from tests.faults.proxy import Proxy
from tests.graph.drafts import facts

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("Ada Kern", "Leo Brandt", "Port Linnet", "Mira Solen", "Quay Nine", "the Green Tower")
WORKERS = 3
STEPS = 8
SERVER_KILL_EVERY = 25
Step = dict[str, str]


class Worker:
    """A client process that can be killed and started again."""

    def __init__(self, uri: str, memory: str) -> None:
        self._arguments = [sys.executable, "-m", "tests.faults.worker", uri, memory]
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout
        self._process.stdout.readline()

    def do(self, step: Step, *, kill_after: float | None = None) -> str:
        """Do `step`; with `kill_after` the process is killed so many seconds later."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(step) + "\n")
        self._process.stdin.flush()
        if kill_after is not None:
            time.sleep(kill_after)
            self._process.kill()
            self.close()
            self._start()
            return "killed"
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()


def text_of(choose: random.Random) -> str:
    """Make up a text of a few sentences that share names with others."""
    sentences = []
    for _ in range(choose.randint(1, 6)):
        one, two = choose.sample(NAMES, 2)
        sentences.append(f"{one} met {two} in {choose.randint(1900, 1910)}.")
    return " ".join(sentences)


def plan_of(choose: random.Random) -> list[Step]:
    """Return the steps of one process."""
    steps: list[Step] = []
    for _ in range(STEPS):
        do = choose.choices(["ingest", "forget", "recall"], [6, 2, 1])[0]
        steps.append({"do": do, "document": f"d{choose.randrange(4)}", "text": text_of(choose)})
    return steps


class Runner:
    """Runs schedules on one server and counts."""

    def __init__(self, uri: str, *, server: LocalServer | None, seed: int) -> None:
        self._uri = uri
        self._server = server
        self._seed = seed
        self.counts: Counter[str] = Counter()

    def run(self, number: int) -> list[str]:
        """Run schedule `number` and return what was wrong after it."""
        choose = random.Random(f"{self._seed}-{number}")
        memory = f"fault-{self._seed}-{number}"
        with Proxy(self._uri) as proxy:
            workers = [Worker(proxy.uri, memory) for _ in range(WORKERS)]
            plans = [plan_of(choose) for _ in range(WORKERS)]
            seeds = [choose.random() for _ in range(WORKERS)]
            threads = [
                threading.Thread(target=self._work, args=(worker, plan, proxy, random.Random(seed)))
                for worker, plan, seed in zip(workers, plans, seeds, strict=True)
            ]
            for thread in threads:
                thread.start()
            if self._server and number % SERVER_KILL_EVERY == SERVER_KILL_EVERY - 1:
                self._kill_server(choose)
            for thread in threads:
                thread.join()
            for worker in workers:
                worker.close()
            self.counts.update(f"commit broken {how}" for how in proxy.broken)
        self.counts["schedules"] += 1
        return self._judge(memory, plans)

    def _work(self, worker: Worker, plan: list[Step], proxy: Proxy, choose: random.Random) -> None:
        for step in plan:
            fault = choose.random()
            kill = choose.random() * 0.15 if fault < 0.15 else None
            if 0.15 <= fault < 0.4:
                proxy.break_next("before" if choose.random() < 0.5 else "after")
            outcome = worker.do(step, kill_after=kill)
            self.counts[f"step {outcome.split(' ', 1)[0]}"] += 1

    def _kill_server(self, choose: random.Random) -> None:
        assert self._server
        time.sleep(choose.random())
        running = self._server.running()
        assert running
        import psutil

        psutil.Process(running.pid).kill()
        psutil.wait_procs([psutil.Process(running.pid)] if psutil.pid_exists(running.pid) else [], timeout=10)
        self.counts["server killed"] += 1
        _start(self._server)

    def _judge(self, memory: str, plans: list[list[Step]]) -> list[str]:
        """Give each document its last version and compare with a memory that saw no fault."""
        last: dict[str, Step] = {}
        for plan in plans:
            last.update({step["document"]: step for step in plan if step["do"] != "recall"})
        wrong: list[str] = []
        alone = f"{memory}-alone"
        with _memory(memory, self._uri) as disturbed, _memory(alone, self._uri) as calm:
            wrong += [f"before settling: {fault}" for fault in disturbed.check()]
            for document, step in sorted(last.items()):
                if step["do"] == "ingest":
                    whole = Document(document, "", "", step["text"], "text/plain")
                    for one in (disturbed, calm):
                        one.remember(whole, chunk_tokens=(5, 40))
                elif any(row["id"] == document for row in disturbed.documents()):
                    disturbed.forget(document)
            calm.remember(Document("d0", "", "", "x", "text/plain")) if not last else None
            wrong += [f"after settling: {fault}" for fault in disturbed.check()]
            with _driver(self._uri) as driver:
                if _nameless(driver, memory) != _nameless(driver, alone):
                    wrong.append("the graph differs from one without faults")
            disturbed.forget_all()
            calm.forget_all()
        return wrong


def _nameless(driver: Driver, memory: str) -> list[tuple[object, ...]]:
    return sorted(
        (
            tuple(
                "·" if isinstance(value, str) and value.startswith(f"{memory}:") else value for value in fact
            )
            for fact in facts(driver, memory)
        ),
        key=repr,
    )


@contextmanager
def _memory(name: str, uri: str) -> Iterator[Memory]:
    with Memory.open(name, uri=uri, auth=("neo4j", "none")) as memory:
        yield memory


@contextmanager
def _driver(uri: str) -> Iterator[Driver]:
    with GraphDatabase.driver(uri, notifications_min_severity="OFF") as driver:
        yield driver


def _start(server: LocalServer) -> str:
    return server.start(auth=False, http=False, fast=True, attached=True).uri


def main() -> int:
    """Run schedules and print what happened."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--schedules", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--uri", help="a server without a password; else one is started (and sometimes killed)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bamboo-faults-", ignore_cleanup_errors=True) as home:
        server = None if arguments.uri else LocalServer(read_settings({"home": home}))
        uri = arguments.uri or _start(server)  # type: ignore[arg-type]
        runner = Runner(uri, server=server, seed=arguments.seed)
        wrong = 0
        started = time.monotonic()
        for number in range(arguments.schedules):
            for line in runner.run(number):
                wrong += 1
                print(f"schedule {number}: {line}", flush=True)
            if number % 10 == 9:
                print(
                    f"{number + 1} schedules, {wrong} wrong, {time.monotonic() - started:.0f} s", flush=True
                )
        if server:
            server.stop()
    for name, count in sorted(runner.counts.items()):
        print(f"{name}: {count}")
    print(f"wrong results: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
