"""`bamboo episodes` and `bamboo schedule run`: what they print, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from tests.graph.learning import FAILED, learn, learned
from tests.graph.recalling import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer
    from tests.graph.drafts import Content
    from tests.plugin import Bamboo

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def taught(driver: Driver) -> Iterator[Memory]:
    """A memory with two episodes that were learned, one that waits and one that was rejected."""
    content: dict[str, Content] = {"a": [["cue", "tin", "zinc"], ["cue", "lead"]]}
    with written(driver, content) as name, Memory.open(name, driver=driver) as memory:
        learn(memory, ("cue", "tin"), question="Who \x1b[31mwas it?")
        learn(memory, ("cue", "tin"), ("cue", "lead"))
        memory.maintain()
        learn(memory, ("tin", "zinc"), question="And then?")
        learn(memory, ("cue", "tin"), verdict=FAILED)
        yield memory


def test_episodes_are_listed_shown_compared_and_undone(bamboo: Bamboo, taught: Memory) -> None:
    name = {"BAMBOO_MEMORY": taught.name}
    listed = bamboo("episodes", "list", env=name).stdout
    assert [line.split()[1] for line in listed.splitlines()] == [
        "learned",
        "learned",
        "validated",
        "rejected",
    ]
    assert "\x1b" not in listed
    lines = bamboo("episodes", "list", "--status", "learned", "--json", env=name).stdout.splitlines()
    first, second = (json.loads(line) for line in lines)
    assert (first["question"], first["cycle"], second["cycle"]) == ("Who \x1b[31mwas it?", 1, 2)

    shown = bamboo("episodes", "show", second["id"].partition(":")[2][:12], env=name).stdout
    assert "cue – tin: 0.5500 (cycle 1, 1 uses) → 0.5950 (cycle 2, 2 uses)" in shown
    assert "cue – lead: never used → 0.5500 (cycle 2, 1 uses)" in shown

    compared = bamboo("episodes", "diff", "1", "2", env=name)
    assert compared.stdout.splitlines()[0].split(maxsplit=3)[:3] == ["0.5000", "→", "0.5500"]
    assert "1 episodes learned, 2 edges changed" in compared.stderr
    beyond = bamboo("episodes", "diff", "1", "9", env=name)
    assert (beyond.returncode, beyond.stderr.count("\n")) == (2, 2)

    kept = bamboo("episodes", "undo", first["id"], env=name)
    assert kept.returncode == 0
    assert f"left     cue – tin: the episode {second['id']} has used it since" in kept.stdout
    done = json.loads(bamboo("episodes", "undo", second["id"], "--json", env=name).stdout)
    assert {(edge["source"], edge["target"]) for edge in done["restored"]} == {
        ("cue", "lead"),
        ("cue", "tin"),
        ("lead", "tin"),  # used together, with no edge between
    }
    again = bamboo("episodes", "undo", second["id"], env=name)
    assert (again.returncode, again.stderr) == (
        2,
        f"bamboo: the episode {second['id']} was undone already\nnothing was changed\n",
    )
    unknown = bamboo("episodes", "show", "nothing", env=name)
    assert (unknown.returncode, unknown.stderr.count("\n")) == (7, 2)


def test_a_memory_without_episodes_says_so(bamboo: Bamboo) -> None:
    done = bamboo("episodes", "list", "--status", "learned")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "there are no episodes that are learned\n")


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 0), ("SIGINT", 130)])
def test_the_foreground_scheduler_maintains_and_ends_when_it_is_asked_to(
    server: RunningServer, driver: Driver, name: str, code: int
) -> None:
    with written(driver, {"a": [["cue", "tin"]]}) as memory, Memory.open(memory, driver=driver) as opened:
        episode = learn(opened, ("cue", "tin"))
        environment = {
            **os.environ,
            "NEO4J_URI": server.uri,
            "BAMBOO_MEMORY": memory,
            "PYTHONPATH": str(CHECKOUT),
        }
        environment |= {"NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
        command = [sys.executable, "-m", "bamboo_neo4j", "schedule", "run", "--cron", "* * * * * *"]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        assert f"maintaining '{memory}' at '* * * * * *'" in process.stderr.readline()
        assert "learned from 1 episodes: 1 edges strengthened" in process.stderr.readline()
        process.send_signal(getattr(signal, name))
        said = process.communicate(timeout=60)[1]
        assert process.returncode == code
        assert "Traceback" not in said
        assert "Error" not in said
        assert opened.episode(episode).status == "learned"
        assert learned(driver, memory)["CO_OCCURS", "cue", "tin", None][3] == 1
        assert opened.check() == []


@pytest.mark.parametrize(
    ("options", "zone", "said"),
    [
        (["--cron", "often"], "UTC", "'often' is no time"),
        ([], "Nowhere/Atall", "the time zone of this machine is unknown"),
    ],
)
def test_what_is_no_time_is_refused_before_anything_is_connected(
    bamboo: Bamboo, options: list[str], zone: str, said: str
) -> None:
    done = bamboo("schedule", "run", *options, env={"TZ": zone, "NEO4J_URI": "bolt://127.0.0.1:1"})
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 2
