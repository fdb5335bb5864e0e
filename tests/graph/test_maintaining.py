"""What validated reasoning does to the graph, on a real server: the figures, once, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.learn.plasticity import current
from bamboo_neo4j.learn.states import decode
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.records import EdgeState, ReasoningOutput, Score, Verdict
from tests.cypher.test_statements import sampled
from tests.graph.drafts import draft
from tests.graph.learning import FAILED, learn, learned
from tests.graph.recalling import ENGLISH, everything, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.graph.drafts import Content
    from tests.plugin import Bamboo

CONTENT: dict[str, Content] = {
    "a": [["cue", "tin", "zinc"], ["cue", "tin"], ["cue", "lead"]],
    "b": [["iron"], ["gold"], ["brass"]],
}
RECALLS = 1_000
"""A thousand, which take a minute on a busy machine, left it as it was too; each is a read transaction."""
PROCEDURES = ["strengthen", "decay", "emerge", "prune"]


@pytest.fixture
def memory(driver: Driver) -> Iterator[Memory]:
    """A memory written by hand: cue–tin is in two chunks, cue–zinc, tin–zinc and cue–lead in one."""
    with written(driver, CONTENT) as name, Memory.open(name, driver=driver) as opened:
        yield opened


def rows(driver: Driver, query: str, **parameters: object) -> list[dict[str, Any]]:
    """Run a query."""
    return [row.data() for row in driver.execute_query(query, parameters).records]


def edge(driver: Driver, memory: str, a: str, b: str) -> dict[str, Any]:
    """Return the properties of an edge without its ends; none if it is not there."""
    query = """MATCH (:Tag {memory: $memory, name: $a})-[edge:CO_OCCURS]-(:Tag {memory: $memory, name: $b})
        RETURN properties(edge) AS of"""
    found = rows(driver, query, memory=memory, a=a, b=b)
    return (
        {name: value for name, value in found[0]["of"].items() if name[1:] not in {"rc", "st"}}
        if found
        else {}
    )


def set_edge(driver: Driver, memory: str, a: str, b: str, **properties: object) -> None:
    """Plant properties on an edge."""
    query = """MATCH (:Tag {memory: $memory, name: $a})-[edge:CO_OCCURS]-(:Tag {memory: $memory, name: $b})
        SET edge += $of"""
    driver.execute_query(query, memory=memory, a=a, b=b, of=properties)


def clock(driver: Driver, memory: str, **properties: object) -> dict[str, Any]:
    """Set properties of the memory's own node, and return what it says of time."""
    query = """MATCH (m:BambooMemory {name: $memory}) SET m += $of
        RETURN m {.cycle, .swept, .sweeping, .sweepAfter} AS of"""
    of: dict[str, Any] = rows(driver, query, memory=memory, of=properties)[0]["of"]
    return of


def batch(driver: Driver, memory: str, procedure: str, *, limit: int = 5000) -> dict[str, Any]:
    """Run one batch of a procedure, as a job does."""
    return rows(driver, load(f"learn/{procedure}").text, memory=memory, limit=limit)[0]


def idle(memory: Memory, cycles: int) -> None:
    """Let cycles pass in which no edge is used."""
    for _ in range(cycles):
        learn(memory)
    memory.maintain()


# The figures.


def test_twelve_validated_uses_lift_0919_to_0977(memory: Memory, driver: Driver) -> None:
    set_edge(
        driver, memory.name, "cue", "tin", usedStrength=0.919, usedCycle=0, activations=5, strength=0.919
    )
    for _ in range(12):
        learn(memory, ("cue", "tin"))
    done = memory.maintain()
    found = edge(driver, memory.name, "cue", "tin")
    assert found["strength"] == found["usedStrength"] == pytest.approx(0.977, abs=5e-4)
    assert (found["usedCycle"], found["activations"]) == (12, 17)
    assert found["rank"] == pytest.approx(2 * found["strength"] / 0.5)
    assert (done.episodes, done.strengthened, done.cycle) == (12, 12, 12)


def test_the_22nd_use_passes_095_and_an_edge_used_every_time_never_decays(
    memory: Memory, driver: Driver
) -> None:
    for _ in range(21):
        learn(memory, ("cue", "tin"))
    memory.maintain()
    assert edge(driver, memory.name, "cue", "tin")["strength"] < 0.95
    learn(memory, ("cue", "tin"))
    memory.maintain()
    assert edge(driver, memory.name, "cue", "tin")["strength"] > 0.95


def test_five_idle_cycles_leave_0893_and_many_no_less_than_half(memory: Memory, driver: Driver) -> None:
    set_edge(driver, memory.name, "cue", "tin", usedStrength=1.0, usedCycle=0, activations=9, strength=1.0)
    idle(memory, 5)
    assert edge(driver, memory.name, "cue", "tin")["strength"] == pytest.approx(0.893, abs=5e-4)
    idle(memory, 40)
    assert edge(driver, memory.name, "cue", "tin")["strength"] == 0.5
    assert edge(driver, memory.name, "cue", "tin")["usedStrength"] == 1.0
    assert memory.check() == []


def test_cypher_decays_as_python_does(memory: Memory, driver: Driver) -> None:
    pairs = [("cue", "tin"), ("cue", "zinc"), ("tin", "zinc"), ("cue", "lead")]
    strengths = [1.0, 0.9, 0.77, 0.501]
    for number, pair in enumerate(pairs):
        state = {"usedStrength": strengths[number], "usedCycle": number, "activations": 1, "strength": 0.6}
        set_edge(driver, memory.name, pair[0], pair[1], **state)
    for cycle in (3, 4, 9, 31, 300):
        clock(driver, memory.name, cycle=cycle)
        batch(driver, memory.name, "decay")
        for number, pair in enumerate(pairs):
            wanted = current(strengths[number], cycle - number, 0.5)
            assert edge(driver, memory.name, *pair)["strength"] == pytest.approx(wanted, abs=1e-9)


# What an episode does, and what it keeps.


def test_an_episode_keeps_every_edge_before_and_after(memory: Memory, driver: Driver) -> None:
    learn(memory, ("cue", "tin"), ("tin", "iron"))
    second = learn(memory, ("cue", "tin"))
    memory.maintain()
    kept = rows(driver, "MATCH (e:Episode {id: $id}) RETURN properties(e) AS of", id=second)[0]["of"]
    assert (kept["status"], kept["cycle"], kept["used"]) == ("learned", 2, 1)
    assert decode(kept["before"]) == (EdgeState(0.55, 1, 1),)
    assert kept["after"] == pytest.approx([0.595, 2, 2])
    assert (kept["jointBefore"], kept["jointAfter"]) == ([-1], [-1])


def test_what_did_not_pass_the_gate_changes_nothing(memory: Memory, driver: Driver) -> None:
    learn(memory, ("cue", "tin"), verdict=FAILED)
    before = learned(driver, memory.name)
    assert memory.maintain().episodes == 0
    assert learned(driver, memory.name) == before
    assert clock(driver, memory.name)["cycle"] == 0


def test_recording_changes_nothing_but_the_ledger(memory: Memory, driver: Driver) -> None:
    before = set(everything(driver, memory.name))
    learn(memory, ("cue", "tin"))
    new = set(everything(driver, memory.name)) - before
    assert len([row for row in new if "Episode" in row]) == 1
    assert len(new) == 2  # the episode, and the memory's own node, whose `writes` is its lock


def test_the_third_joint_use_begins_an_edge_at_03_whenever_it_is_made(memory: Memory, driver: Driver) -> None:
    for _ in range(5):
        learn(memory, ("cue", "tin"), ("tin", "iron"))
    batch(driver, memory.name, "strengthen")
    assert edge(driver, memory.name, "cue", "iron") == {}
    assert batch(driver, memory.name, "emerge")["edges"] == 2
    found = edge(driver, memory.name, "cue", "iron")
    strength = 0.3
    for _ in range(2):
        strength += 0.1 * (1 - strength)
    assert found == {
        "weight": 0,
        "emergent": True,
        "usedStrength": pytest.approx(strength),
        "strength": pytest.approx(strength),
        "rank": pytest.approx(strength / 0.5),
        "usedCycle": 5,
        "activations": 5,
    }
    assert memory.check() == []


def test_a_faded_edge_counts_as_gone_before_it_is_pruned(memory: Memory, driver: Driver) -> None:
    for _ in range(3):
        learn(memory, ("tin", "iron"))
    memory.maintain()
    assert [each.tag for each in memory.neighbours("iron")] == ["tin"]
    for _ in range(20):
        learn(memory)
    batch(driver, memory.name, "strengthen")
    assert edge(driver, memory.name, "tin", "iron")["strength"] == pytest.approx(0.3)
    with pytest.raises(NotFound):
        memory.neighbours("iron")
    learn(memory, ("tin", "iron"))
    assert memory.maintain().pruned == 0
    assert edge(driver, memory.name, "tin", "iron") == {}
    assert ("CO_ACTIVATED", "iron", "tin", None) in learned(driver, memory.name)
    assert memory.check() == []


def test_pruning_removes_faded_emergent_edges_only(memory: Memory, driver: Driver) -> None:
    for _ in range(3):
        learn(memory, ("tin", "iron"), ("cue", "tin"))
    idle(memory, 30)
    assert edge(driver, memory.name, "tin", "iron") == {}
    assert edge(driver, memory.name, "cue", "tin")["strength"] == 0.5
    assert len(rows(driver, "MATCH (t:Tag {memory: $m}) RETURN t.name", m=memory.name)) == 7
    assert memory.check() == []


# Never by recall.


def test_p29_recalls_leave_the_memory_as_it_was(memory: Memory, driver: Driver) -> None:
    learn(memory, ("cue", "tin"))
    memory.maintain()
    before = everything(driver, memory.name)
    for number in range(RECALLS):
        memory.recall("cue tin zinc", associations=number % 4 == 0)
    assert everything(driver, memory.name) == before


def test_p29_only_what_the_answer_used_is_strengthened_and_nothing_passes_its_maximum(
    memory: Memory, driver: Driver
) -> None:
    for _ in range(60):
        learn(memory, ("cue", "lead"))
    memory.maintain()
    assert 0.99 < edge(driver, memory.name, "cue", "lead")["strength"] <= 1
    assert {key[1:3] for key, state in learned(driver, memory.name).items() if state[2] is not None} == {
        ("cue", "lead")
    }


def test_p29_a_transaction_that_is_tried_again_counts_once(memory: Memory, driver: Driver) -> None:
    learn(memory, ("cue", "tin"))
    client = GraphClient(driver, owns=False)
    parameters = {"memory": memory.name, "limit": 5000}
    for _ in range(3):  # as after a commit whose outcome was unknown
        client.write(lambda transaction: transaction.run("learn/strengthen", parameters))
    assert edge(driver, memory.name, "cue", "tin")["activations"] == 1
    assert clock(driver, memory.name)["cycle"] == 1


# Often, seldom, twice, back in time, together, killed.


def test_p28_maintaining_often_or_seldom_gives_one_graph(driver: Driver) -> None:
    graphs = []
    for often in (True, False):
        with written(driver, CONTENT) as name, Memory.open(name, driver=driver) as memory:
            for number in range(24):
                learn(memory, *[[("cue", "tin")], [("cue", "lead"), ("tin", "iron")], []][number % 3])
                if often:
                    memory.maintain()
            memory.maintain()
            memory.maintain()
            stored = [
                edge(driver, name, *pair)
                for pair in [("cue", "tin"), ("cue", "lead"), ("cue", "zinc"), ("tin", "iron")]
            ]
            graphs.append((learned(driver, name), stored, clock(driver, name)))
    assert graphs[0] == graphs[1]
    used, rare = graphs[0][1][:2]
    assert used["rank"] > rare["rank"] > 0


def test_p28_a_clock_that_was_set_back_changes_nothing(memory: Memory, driver: Driver) -> None:
    learn(memory, ("cue", "tin"))
    idle(memory, 3)
    before = edge(driver, memory.name, "cue", "tin")
    clock(driver, memory.name, cycle=0)
    memory.maintain()
    assert edge(driver, memory.name, "cue", "tin") == before | {
        "strength": before["usedStrength"],
        "rank": 2 * before["usedStrength"] / 0.5,
    }


def test_two_that_maintain_at_once_take_each_episode_once(driver: Driver, memory: Memory) -> None:
    for _ in range(40):
        learn(memory, ("cue", "tin"), ("tin", "iron"))
    failed: list[BaseException] = []

    def maintain() -> None:
        try:
            with Memory.open(memory.name, driver=driver) as mine:
                mine.maintain()
        except BaseException as error:  # noqa: BLE001 - told to the test
            failed.append(error)

    threads = [threading.Thread(target=maintain) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert clock(driver, memory.name) == {"cycle": 40, "swept": 40, "sweeping": None, "sweepAfter": None}
    assert edge(driver, memory.name, "cue", "tin")["activations"] == 40
    cycles = rows(
        driver, "MATCH (e:Episode {memory: $m}) RETURN e.cycle AS c ORDER BY e.createdAt", m=memory.name
    )
    assert [row["c"] for row in cycles] == list(range(1, 41))
    assert memory.check() == []


def test_a_sweep_goes_on_where_it_was_left_and_check_holds_in_between(memory: Memory, driver: Driver) -> None:
    for pair in [("cue", "tin"), ("cue", "zinc"), ("tin", "zinc"), ("cue", "lead")]:
        learn(memory, pair)
    memory.maintain()
    for _ in range(7):
        learn(memory)
    batch(driver, memory.name, "strengthen")
    steps = 0
    while batch(driver, memory.name, "decay", limit=1)["remaining"]:
        steps += 1
        assert clock(driver, memory.name)["sweeping"] == 11
        assert memory.check() == []
    assert steps == 3
    assert clock(driver, memory.name) == {"cycle": 11, "swept": 11, "sweeping": None, "sweepAfter": None}
    assert batch(driver, memory.name, "decay") == {"edges": 0, "skipped": 0, "remaining": 0}


def test_a_sweep_that_was_left_is_finished_and_followed_by_one_to_the_present(
    memory: Memory, driver: Driver
) -> None:
    for pair in [("cue", "tin"), ("cue", "zinc"), ("cue", "lead")]:
        learn(memory, pair)
    idle(memory, 2)
    learn(memory)
    batch(driver, memory.name, "strengthen")
    assert batch(driver, memory.name, "decay", limit=1)["remaining"]
    idle(memory, 4)
    assert clock(driver, memory.name) == {"cycle": 10, "swept": 10, "sweeping": None, "sweepAfter": None}
    assert edge(driver, memory.name, "cue", "tin")["strength"] == pytest.approx(current(0.55, 9, 0.5))


def test_a_maintainer_that_is_killed_loses_nothing(
    driver: Driver, memory: Memory, settings: Settings
) -> None:
    for _ in range(30):
        learn(memory, ("cue", "tin"))
    environment = {**os.environ, "NEO4J_URI": settings["uri"], "BAMBOO_MEMORY": memory.name}
    command = [sys.executable, "-c", ONE_BY_ONE, memory.name]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert 0 < clock(driver, memory.name)["cycle"] < 30
    assert memory.check() == []
    time.sleep(0.1)
    memory.maintain()
    assert clock(driver, memory.name)["cycle"] == 30
    assert edge(driver, memory.name, "cue", "tin")["activations"] == 30
    assert memory.check() == []


ONE_BY_ONE = """
import sys
from bamboo_neo4j import Memory
from bamboo_neo4j.learn.maintaining import maintain
with Memory.open(sys.argv[1]) as memory:
    said = lambda step, edges: print(step, edges, flush=True)
    maintain(memory._client, memory.name, limit=1, progress=said)
"""


def test_each_memory_has_its_own_time_and_learns_for_itself(driver: Driver, memory: Memory) -> None:
    with written(driver, CONTENT) as other:
        before = everything(driver, other)
        for _ in range(3):
            learn(memory, ("cue", "tin"), ("tin", "iron"))
        memory.maintain()
        assert everything(driver, other) == before


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_the_lock_is_taken_before_anything_is_read(driver: Driver, procedure: str) -> None:
    statement = load(f"learn/{procedure}")
    plan = driver.execute_query(f"EXPLAIN {statement.text}", sampled(driver, statement)).summary.plan
    assert plan
    below = [plan]
    while below[-1].get("children"):
        # of two children the first runs first; the second only once it has given a row
        below.append(below[-1]["children"][0])
    names = [each["operatorType"].split("@")[0] for each in below]
    assert names[-1].startswith("NodeUniqueIndexSeek")
    assert "BambooMemory" in below[-1]["args"]["Details"]
    assert names[-2] == "SetProperty"
    assert "writes" in below[-2]["args"]["Details"]
    two = {name for name, each in zip(names, below, strict=True) if len(each.get("children", ())) > 1}
    assert two <= {"Apply", "SubqueryForeach"}


@pytest.mark.parametrize("mark", ["wiping", "importing"])
def test_a_memory_that_is_being_forgotten_or_imported_is_left_alone(
    driver: Driver, memory: Memory, mark: str
) -> None:
    learn(memory, ("cue", "tin"))
    clock(driver, memory.name, **{mark: "x"})
    with pytest.raises(DatabaseError, match="being forgotten or imported"):
        memory.maintain()
    assert edge(driver, memory.name, "cue", "tin").get("strength") is None
    clock(driver, memory.name, **{mark: None})


def test_a_memory_that_is_not_there_is_not_found(driver: Driver) -> None:
    with Memory.open("nowhere-at-all", driver=driver) as memory, pytest.raises(NotFound):
        memory.maintain()


# Damaged numbers.

DAMAGED = [nan, inf, -inf, -1.0, "high", True, None]


@pytest.mark.parametrize("name", ["usedStrength", "usedCycle", "activations", "strength", "weight"])
def test_p27_a_damaged_edge_is_skipped_and_told_and_the_others_are_right(
    driver: Driver, memory: Memory, name: str
) -> None:
    for pair in [("cue", "tin"), ("cue", "zinc"), ("cue", "lead")]:
        learn(memory, pair)
    memory.maintain()
    for value in DAMAGED:
        set_edge(driver, memory.name, "cue", "zinc", **{name: value})
        learn(memory, ("cue", "zinc"), ("cue", "tin"))
        done = memory.maintain()
        if name != "strength":
            assert done.skipped > 0, value
        json.dumps([memory.stats()["edges"]], allow_nan=False)
        if name != "strength" or value is not None:
            assert {fault.invariant for fault in memory.check()} <= {"learned", "weight"}
    assert edge(driver, memory.name, "cue", "tin")["activations"] == 1 + len(DAMAGED)
    assert edge(driver, memory.name, "cue", "lead")["strength"] == pytest.approx(
        current(0.55, len(DAMAGED), 0.5)
    )
    memory.repair()
    assert memory.check() == []


@pytest.mark.parametrize("value", DAMAGED, ids=str)
@pytest.mark.parametrize("name", ["strength", "usedStrength", "usedCycle", "activations", "emergent"])
def test_damage_of_what_was_learned_is_found_and_mended(
    driver: Driver, memory: Memory, name: str, value: object
) -> None:
    learn(memory, ("cue", "tin"))
    memory.maintain()
    right = name == "emergent" and (value is None or value is True)
    set_edge(driver, memory.name, "cue", "tin", **{name: value})
    faults = memory.check()
    assert right or {fault.where for fault in faults} <= {"cue – tin", "tin – cue"}
    assert right == (faults == [])
    memory.repair()
    assert memory.check() == []


@pytest.mark.parametrize("value", [nan, "three", None, 0, -1])
def test_a_damaged_count_of_joint_uses_is_found_and_taken_away(
    driver: Driver, memory: Memory, value: object
) -> None:
    learn(memory, ("tin", "iron"))
    memory.maintain()
    query = "MATCH (:Tag {memory: $m})-[j:CO_ACTIVATED]->() SET j.count = $value"
    driver.execute_query(query, m=memory.name, value=value)
    memory.maintain()
    assert [fault.invariant for fault in memory.check()] == ["learned"]
    memory.repair()
    assert memory.check() == []


@pytest.mark.parametrize(
    "broken", [{"src": "x"}, {"shares": ["p"]}, {"dst": [1]}, {"facts": [1]}, {"used": "all"}]
)
def test_an_episode_with_damaged_lists_does_not_hold_up_the_others(
    driver: Driver, memory: Memory, broken: dict[str, object]
) -> None:
    first = learn(memory, ("cue", "tin"), ("cue", "lead"))
    learn(memory, ("cue", "zinc"))
    driver.execute_query("MATCH (e:Episode {id: $id}) SET e += $broken", id=first, broken=broken)
    done = memory.maintain()
    assert (done.episodes, done.skipped, done.cycle) == (1, 1, 1)
    assert edge(driver, memory.name, "cue", "zinc")["activations"] == 1


def test_p27_a_confidence_that_is_no_number_does_not_reach_the_graph(
    driver: Driver, memory: Memory, tmp_path: Path
) -> None:
    verdict = Verdict(
        passed=True, gate="quality", trust=nan, scores=(Score("logical", inf, "?"),), reasons=()
    )
    name = memory.learn("Who?", ReasoningOutput("by hand", "She did.", nan), verdict).id
    kept = rows(driver, "MATCH (e:Episode {id: $id}) RETURN properties(e) AS of", id=name)[0]["of"]
    assert not {"confidence", "trust", "logical"} & set(kept)
    assert kept["logicalReason"] == "?"
    memory.export(tmp_path / "whole.jsonl")


# The paper's rule.


def test_decay_all_fades_every_edge_to_01_and_going_back_gives_the_graph_that_was_never_otherwise(
    driver: Driver, memory: Memory, bamboo: Bamboo
) -> None:
    learn(memory, ("cue", "tin"))
    idle(memory, 30)
    before = [edge(driver, memory.name, "cue", other) for other in ("tin", "zinc", "lead")]
    done = json.loads(bamboo("--memory", memory.name, "maintain", "--decay", "all", "--json").stdout)
    assert (done["decayed"], done["cycle"]) == (4, 31)
    found = [edge(driver, memory.name, "cue", other) for other in ("tin", "zinc", "lead")]
    assert [each["strength"] for each in found] == [0.1, 0.1, 0.1]
    assert [each["rank"] for each in found] == [0.4, 0.2, 0.2]
    assert memory.check() == []
    memory.maintain()  # the rule stays until it is changed
    assert edge(driver, memory.name, "cue", "zinc")["strength"] == 0.1
    memory.maintain(decay="used")
    assert [edge(driver, memory.name, "cue", other) for other in ("tin", "zinc", "lead")] == before
    assert memory.check() == []


def test_where_every_edge_decays_writing_keeps_the_graph_exact(driver: Driver, memory: Memory) -> None:
    writer = Writer(GraphClient(driver, owns=False), memory=memory.name, normaliser=ENGLISH.fingerprint)
    for _ in range(3):
        learn(memory, ("cue", "tin"), ("tin", "iron"))
    learn(memory)
    memory.maintain(decay="all")
    writer.write([draft(memory.name, "c", [["iron", "gold", "tin"], ["cue", "tin"]])])
    assert memory.check() == []
    learn(memory, ("iron", "gold"))
    batch(driver, memory.name, "strengthen")
    batch(driver, memory.name, "decay", limit=1)
    writer.write([draft(memory.name, "d", [["iron", "lead"], ["cue", "tin"]])])
    assert memory.check() == []
    memory.maintain()
    writer.forget("c")
    assert memory.check() == []
    memory.maintain(decay="used")
    assert memory.check() == []


def test_maintain_says_what_it_did_in_a_sentence(memory: Memory, bamboo: Bamboo) -> None:
    learn(memory, ("cue", "tin"), ("cue", "lead"))
    said = bamboo("--memory", memory.name, "maintain")
    assert said.returncode == 0
    assert said.stdout == (
        f"learned from 1 episodes: 3 edges strengthened, 0 decayed, 0 grown, 0 pruned; "
        f"memory {memory.name!r} is in cycle 1\n"
    )
