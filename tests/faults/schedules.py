"""Random schedules of work by several processes, with faults; run it for long.

    python -m tests.faults.schedules --schedules 300 --seed 1

Each schedule: three processes ingest, update, forget, recall, export and check one memory at once, with two
taggers and two titles, short texts and texts of more chunks than a transaction takes; some forget the whole
memory or index it anew. Meanwhile commits are broken before or after they reach the server, connections are
cut, and clients and (every so often) the server are killed with SIGKILL. Then each document gets its last
version once more, undisturbed, as a user would run the command again. The memory must then be clean under
`check` and equal to one that was written without any fault; and what a process was told of a document that is
its own must have been right at every step.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from neo4j import Driver, GraphDatabase

from bamboo_neo4j import Memory
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import read_settings
from tests.faults.plans import WORKERS, Expectation, Kind, plan_of
from tests.faults.proxy import Proxy
from tests.faults.worker import Step, ingest, serve
from tests.graph.drafts import facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SERVER_KILL_EVERY = 25
ANSWER = 240.0
"""Seconds after which a step that has not answered hangs."""

# children of a process that has imported everything once: a kill costs a fork, not a start
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.faults.worker", "tests.faults.warm", "neo4j"])


class Worker:
    """A client process that can be killed and started again."""

    def __init__(self, uri: str, memory: str) -> None:
        self._uri = uri
        self._memory = memory
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=serve, args=(theirs, self._uri, self._memory), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, step: Step, *, kill_after: float | None = None) -> tuple[str, str]:
        """Do `step` and return what the process answers; with `kill_after` it is killed so much later."""
        self._pipe.send(step)
        if kill_after is not None:
            time.sleep(kill_after)
            self.close()
            self._start()
            return "killed", ""
        if not self._pipe.poll(ANSWER):
            self.close()
            self._start()
            return "crashed", f"no answer within {ANSWER:.0f} s"
        answer: tuple[str, str] = self._pipe.recv()
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


class Runner:
    """Runs schedules on one server and counts."""

    def __init__(self, uri: str, *, server: LocalServer | None, seed: int) -> None:
        self._uri = uri
        self._server = server
        self._seed = seed
        self._quiet = threading.Lock()  # no server is killed while the end of a schedule is judged
        self.counts: Counter[str] = Counter()

    def run(self, number: int) -> list[str]:
        """Run schedule `number` and return what was wrong in it or after it."""
        choose = random.Random(f"{self._seed}-{number}")
        memory = f"fault-{self._seed}-{number}"
        kind = Kind.of(number)
        plans = [plan_of(choose, worker, kind) for worker in range(WORKERS)]
        wrong: list[str] = []
        with Proxy(self._uri) as proxy:
            workers = [Worker(proxy.uri, memory) for _ in range(WORKERS)]
            threads = [
                threading.Thread(
                    target=self._work,
                    args=(worker, plan, proxy),
                    kwargs={"choose": random.Random(choose.random()), "kind": kind, "wrong": wrong},
                )
                for worker, plan in zip(workers, plans, strict=True)
            ]
            for thread in threads:
                thread.start()
            if self._server and number % SERVER_KILL_EVERY == SERVER_KILL_EVERY - 1:
                self._kill_server(choose)
            for thread in threads:
                thread.join()
            for worker in workers:
                worker.close()
            self.counts.update(f"fault: commit broken {how} it was made" for how in proxy.broken)
        with self._quiet:
            self.counts["schedules"] += 1
            return wrong + self._judge(memory, plans)

    def _work(
        self,
        worker: Worker,
        plan: list[Step],
        proxy: Proxy,
        *,
        choose: random.Random,
        kind: Kind,
        wrong: list[str],
    ) -> None:
        expected = Expectation(kind)
        for step in plan:
            fault = choose.random()
            kill = choose.random() * 0.15 if fault < 0.15 else None
            if 0.15 <= fault < 0.4:
                proxy.break_next("before" if choose.random() < 0.5 else "after")
            if 0.4 <= fault < 0.45:
                threading.Timer(choose.random() * 0.1, proxy.cut).start()
                self.counts["fault: all connections cut"] += 1
            outcome, text = worker.do(step, kill_after=kill)
            self.counts[f"{step['do']}: {outcome}"] += 1
            self.counts["fault: client killed"] += outcome == "killed"
            if found := expected.judge(step, outcome, text):
                wrong.append(found)

    def _kill_server(self, choose: random.Random) -> None:
        import psutil

        assert self._server
        time.sleep(choose.random())
        with self._quiet:
            running = self._server.running()
            assert running
            process = psutil.Process(running.pid)
            process.kill()
            psutil.wait_procs([process], timeout=30)
            self.counts["fault: server killed"] += 1
            _start(self._server)

    def _judge(self, memory: str, plans: list[list[Step]]) -> list[str]:
        """Give each document its last version and compare with a memory that saw no fault."""
        last: dict[str, Step] = {}
        for plan in plans:
            last.update({step["document"]: step for step in plan if step["do"] in {"ingest", "forget"}})
        wrong: list[str] = []
        alone = f"{memory}-alone"
        with _memory(memory, self._uri) as disturbed, _memory(alone, self._uri) as calm:
            wrong += [f"before settling: {fault}" for fault in self._finish(disturbed)]
            for document, step in sorted(last.items()):
                if step["do"] == "ingest":
                    wrong += [
                        f"settling: {one}" for one in (ingest(disturbed, step), ingest(calm, step)) if one[1]
                    ]
                elif any(row["id"] == document for row in disturbed.documents()):
                    disturbed.forget(document)
            wrong += [f"after settling: {fault}" for fault in disturbed.check()]
            with _driver(self._uri) as driver:
                different = _nameless(driver, memory) != _nameless(driver, alone)
            if different and any(step["do"] == "ingest" for step in last.values()):
                wrong.append("the graph differs from one without faults")
            disturbed.forget_all()
            calm.forget_all()
        return wrong

    def _finish(self, memory: Memory) -> list[object]:
        """Finish what was cut short, as `check` says; return the other faults."""
        faults = memory.check()
        for fault in faults:
            if fault.invariant == "unfinished":
                self.counts[f"cut short: {fault.where}"] += 1
                memory.forget_all() if fault.where == "forget --all" else memory.reindex()
        return [fault for fault in faults if fault.invariant != "unfinished"]


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
    # memories come and go: each change of size would have every statement planned anew
    config = {"dbms.cypher.min_replan_interval": "1d"}
    return server.start(auth=False, http=False, fast=True, attached=True, config=config).uri


def _report(results: Iterable[list[str]], first: int) -> int:
    """Print what was wrong, schedule by schedule, and return how often."""
    wrong = 0
    started = time.monotonic()
    for done, lines in enumerate(results, 1):
        wrong += len(lines)
        for line in lines:
            print(f"schedule {first + done - 1}: {line}", flush=True)
        if done % 10 == 0:
            print(f"{done} schedules, {wrong} wrong, {time.monotonic() - started:.0f} s", flush=True)
    return wrong


def main() -> int:
    """Run schedules and print what happened."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--schedules", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the number of the first schedule")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2, help="schedules side by side, each in its memory")
    parser.add_argument(
        "--uri", help="a server without a password; else one is started (and sometimes killed)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bamboo-faults-", ignore_cleanup_errors=True) as home:
        server = None if arguments.uri else LocalServer(read_settings({"home": home}))
        uri = arguments.uri or _start(server)  # type: ignore[arg-type]
        runner = Runner(uri, server=server, seed=arguments.seed)
        wrong = 0
        numbers = range(arguments.first, arguments.first + arguments.schedules)
        with ThreadPoolExecutor(arguments.at_once) as pool:
            try:
                wrong = _report(pool.map(runner.run, numbers), arguments.first)
            except KeyboardInterrupt:  # what was begun is finished and counted
                pool.shutdown(cancel_futures=True)
                print("interrupted", flush=True)
        if server:
            server.stop()
    for name, count in sorted(runner.counts.items()):
        print(f"{name}: {count}")
    print(f"faults: {sum(count for name, count in runner.counts.items() if name.startswith('fault:'))}")
    print(f"wrong results: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
