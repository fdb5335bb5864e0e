"""Let eight programs make the first write into an empty database at once, again and again.

python -m tests.faults.first_writes --times 20
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from neo4j import Driver, GraphDatabase

from bamboo_neo4j import Memory
from bamboo_neo4j.graph.server import LocalServer
from bamboo_neo4j.settings import read_settings

PROGRAMS = 8
CHECKOUT = Path(__file__).parents[2]


def empty(driver: Driver) -> None:
    """Delete everything, the schema too."""
    driver.execute_query("MATCH (n) DETACH DELETE n")
    for kind, listed in (
        ("CONSTRAINT", "SHOW CONSTRAINTS YIELD name"),
        ("INDEX", "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"),
    ):
        for record in driver.execute_query(listed).records:
            driver.execute_query(f"DROP {kind} `{record['name']}` IF EXISTS")


def begin_at_once(uri: str, folder: Path) -> list[str]:
    """Start the programs on files that all hold one tag; return what went wrong."""
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))
    }
    environment |= {"NEO4J_URI": uri, "PYTHONPATH": str(CHECKOUT)}
    running = []
    for number in range(PROGRAMS):
        file = folder / f"{number}.txt"
        file.write_text(f"Ada Kern met Leo Brandt{number} in Port Linnet.", encoding="utf-8")
        command = [sys.executable, "-m", "bamboo_neo4j", "ingest", str(file)]
        running.append(
            subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        )
    said = [(process.communicate(timeout=300)[1], process.returncode) for process in running]
    wrong = [f"exit code {code}: {errors}" for errors, code in said if code or errors]
    with Memory.open(uri=uri, auth=("", "")) as memory:
        wrong += [str(fault) for fault in memory.check()]
        held = [row["chunks"] for row in memory.tags() if row["name"] == "ada kern"]
        wrong += [] if held == [PROGRAMS] else [f"the tag of all is there as {held}"]
    return wrong


def main() -> int:
    """Repeat it on a server of its own and print what was wrong."""
    parser = argparse.ArgumentParser(description="First writes at once.")
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        local = LocalServer(read_settings({"home": str(Path(folder) / "home")}, environ={}))
        uri = local.start(auth=False, http=False, fast=True, attached=True).uri
        with GraphDatabase.driver(uri, notifications_min_severity="OFF") as driver:
            for number in range(1, given.times + 1):
                empty(driver)
                found = begin_at_once(uri, Path(folder))
                wrong += bool(found)
                print(f"{number}: {'; '.join(found) or 'right'}", flush=True)
        local.stop()
    print(f"wrong: {wrong} of {given.times}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
