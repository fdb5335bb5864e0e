"""The ledger: what was learned from which episode, what changed between two cycles, and taking it back."""

from __future__ import annotations

import io
import random
from math import exp
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.records import EdgeState
from tests.graph.drafts import draft
from tests.graph.learning import FAILED, learn, learned
from tests.graph.recalling import ENGLISH, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from tests.graph.drafts import Content

CONTENT: dict[str, Content] = {
    "a": [["cue", "tin", "zinc"], ["cue", "lead"], ["iron", "gold"]],
    "b": [["cue", "copper"]],
}
CUE_TIN, TIN_ZINC, CUE_LEAD, CUE_COPPER = ("cue", "tin"), ("tin", "zinc"), ("cue", "lead"), ("cue", "copper")
TIN_IRON, LEAD_GOLD = ("tin", "iron"), ("lead", "gold")  # no chunk holds both


@pytest.fixture
def memory(driver: Driver) -> Iterator[Memory]:
    with written(driver, CONTENT) as name, Memory.open(name, driver=driver) as opened:
        yield opened
        assert opened.check() == []


def state(
    driver: Driver, memory: Memory, pair: tuple[str, str], kind: str = "CO_OCCURS"
) -> list[object] | None:
    return learned(driver, memory.name).get((kind, *sorted(pair), None))


def clock(driver: Driver, memory: Memory) -> int:
    query = "MATCH (m:BambooMemory {name: $name}) RETURN m.cycle AS cycle"
    return int(driver.execute_query(query, name=memory.name).records[0]["cycle"])


def test_undoing_takes_back_exactly_what_an_episode_did(driver: Driver, memory: Memory) -> None:
    before = learned(driver, memory.name)
    episode = learn(memory, CUE_TIN, TIN_ZINC)
    memory.maintain()
    assert state(driver, memory, CUE_TIN) == [1, None, pytest.approx(0.55), 1, 1, None]
    undone = memory.undo(episode)
    assert learned(driver, memory.name) == before
    assert {(edge.source, edge.target) for edge in undone.restored} == {CUE_TIN, TIN_ZINC}
    assert [edge.after for edge in undone.restored] == [EdgeState()] * 2
    assert undone.kept == ()
    assert memory.episode(episode).status == "undone"
    assert clock(driver, memory) == 1, "the cycle is not turned back"


def test_an_edge_goes_back_to_what_the_episode_before_left_and_one_used_since_stays(
    driver: Driver, memory: Memory
) -> None:
    learn(memory, CUE_TIN)
    memory.maintain()
    first = state(driver, memory, CUE_TIN)
    middle, last = learn(memory, CUE_TIN, CUE_LEAD), learn(memory, CUE_LEAD, CUE_COPPER)
    memory.maintain()
    later = [state(driver, memory, pair) for pair in (CUE_LEAD, CUE_COPPER)]
    undone = memory.undo(middle)
    assert state(driver, memory, CUE_TIN) == first
    assert [state(driver, memory, pair) for pair in (CUE_LEAD, CUE_COPPER)] == later
    assert [(kept.source, kept.target) for kept in undone.kept] == [CUE_LEAD]
    assert last in undone.kept[0].reason
    memory.undo(last)
    assert state(driver, memory, CUE_LEAD) == [1, None, None, None, None, None], "both uses of it are undone"


@pytest.mark.parametrize("seed", range(4))
def test_undoing_all_episodes_in_any_order_ends_where_it_began(
    driver: Driver, memory: Memory, seed: int
) -> None:
    pick = random.Random(seed)
    memory.load_facts(
        [{"subject": "tin", "predicate": "melts before", "object": "copper", "confidence": 0.7}]
    )
    fact = next(iter(memory.facts())).id
    before = learned(driver, memory.name)
    hops, episodes = (CUE_TIN, TIN_ZINC, CUE_LEAD, TIN_IRON, LEAD_GOLD), []
    for _ in range(8):
        used = pick.sample(hops, 3)
        episodes.append(learn(memory, *used, facts=(fact,) if pick.random() < 0.5 else ()))
        if pick.random() < 0.6:
            memory.maintain()
    memory.maintain()
    assert learned(driver, memory.name) != before
    pick.shuffle(episodes)
    for episode in episodes:
        memory.undo(episode)
        assert memory.check() == []
    assert learned(driver, memory.name) == before
    memory.maintain()
    assert learned(driver, memory.name) == before


def test_undoing_takes_back_an_edge_that_emerged_and_the_joint_use(driver: Driver, memory: Memory) -> None:
    for _ in range(2):
        learn(memory, TIN_IRON)
    memory.maintain()
    two = learned(driver, memory.name)
    third = learn(memory, TIN_IRON)
    memory.maintain()
    assert state(driver, memory, TIN_IRON) == [0, None, 0.3, 3, 3, True]
    memory.undo(third)
    assert learned(driver, memory.name) == two
    assert state(driver, memory, TIN_IRON, "CO_ACTIVATED") == [None, 2, None, None, None, None]


def test_an_emerged_edge_that_got_evidence_since_is_left_as_plain_evidence(
    driver: Driver, memory: Memory
) -> None:
    episodes = [learn(memory, TIN_IRON) for _ in range(3)]
    memory.maintain()
    client = GraphClient(driver, owns=False)
    writer = Writer(client, memory=memory.name, normaliser=ENGLISH.fingerprint)
    writer.write([draft(memory.name, "c", [["tin", "iron"]])])
    memory.undo(episodes[2])
    assert state(driver, memory, TIN_IRON) == [1, None, None, None, None, None]


def test_what_was_undone_before_maintenance_is_never_learned(driver: Driver, memory: Memory) -> None:
    before = learned(driver, memory.name)
    episode, other = learn(memory, CUE_TIN), learn(memory, CUE_LEAD)
    assert not memory.undo(episode).learned
    memory.maintain()
    assert clock(driver, memory) == 1
    assert state(driver, memory, CUE_TIN) == before["CO_OCCURS", "cue", "tin", None]
    assert [each.id for each in memory.episodes("undone")] == [episode]
    assert [each.id for each in memory.episodes("learned")] == [other]


def test_undoing_twice_and_undoing_what_was_rejected_is_refused(driver: Driver, memory: Memory) -> None:
    episode, rejected = learn(memory, CUE_TIN), learn(memory, CUE_TIN, verdict=FAILED)
    memory.maintain()
    memory.undo(episode)
    learn(memory, CUE_TIN)
    memory.maintain()
    now = learned(driver, memory.name)
    with pytest.raises(UsageError, match="undone already"):
        memory.undo(episode)
    with pytest.raises(UsageError, match="rejected"):
        memory.undo(rejected)
    assert learned(driver, memory.name) == now


def test_an_episode_is_found_by_the_beginning_of_its_id(memory: Memory) -> None:
    one = learn(memory, CUE_TIN, question="Who was it?")
    others = [learn(memory, CUE_LEAD) for _ in range(20)]
    digest = one.partition(":")[2]
    assert memory.episode(one).question == memory.episode(digest).question == "Who was it?"
    length = next(n for n in range(1, 33) if not any(x.partition(":")[2][:n] == digest[:n] for x in others))
    assert memory.episode(digest[:length]).id == one
    shared = next(n for n in "0123456789abcdef" if sum(x.partition(":")[2][0] == n for x in others) > 1)
    with pytest.raises(UsageError, match="begin with"):
        memory.episode(shared)
    for unknown in ("", "nothing", "%", f"{memory.name}:"):
        with pytest.raises(NotFound, match="no episode"):
            memory.episode(unknown)


def test_what_a_forgotten_document_took_along_is_said_and_the_rest_is_restored(
    driver: Driver, memory: Memory
) -> None:
    episode = learn(memory, CUE_TIN, CUE_COPPER)
    memory.maintain()
    memory.forget("b")
    undone = memory.undo(episode)
    assert [(edge.source, edge.target) for edge in undone.restored] == [CUE_TIN]
    # the edge to copper, and that copper was used together with tin
    gone = {frozenset([kept.source, kept.target]) for kept in undone.kept}
    assert gone == {frozenset(["cue", "(forgotten)"]), frozenset(["tin", "(forgotten)"])}
    assert {kept.reason for kept in undone.kept} == {"it is no longer there"}
    assert state(driver, memory, CUE_TIN) == [1, None, None, None, None, None]


def test_undoing_in_the_middle_of_a_sweep_leaves_every_rank_right(driver: Driver, memory: Memory) -> None:
    for pair in (CUE_TIN, TIN_ZINC, CUE_LEAD):
        learn(memory, pair)
    memory.maintain()
    episode = learn(memory, CUE_TIN, TIN_ZINC, CUE_LEAD)
    client, given = GraphClient(driver, owns=False), {"memory": memory.name, "limit": 5000}
    client.write(lambda transaction: transaction.run("learn/strengthen", given))
    for _ in range(3):
        learn(memory, CUE_COPPER)
    client.write(lambda transaction: transaction.run("learn/strengthen", given))
    client.write(lambda transaction: transaction.run("learn/decay", {**given, "limit": 1}))
    memory.undo(episode)
    assert memory.check() == []
    memory.maintain()


def test_an_imported_memory_is_undone_as_the_one_that_was_exported(driver: Driver, memory: Memory) -> None:
    before = learned(driver, memory.name)
    episodes = [learn(memory, CUE_TIN, TIN_IRON), learn(memory, CUE_TIN, TIN_IRON), learn(memory, TIN_IRON)]
    memory.maintain()
    file = io.BytesIO()
    memory.export(file)
    file.seek(0)
    with Memory.open(f"{memory.name}-2", driver=driver) as copy:
        try:
            copy.load(file)
            assert learned(driver, copy.name) == learned(driver, memory.name)
            for episode in episodes:
                copy.undo(episode.partition(":")[2])
            assert copy.check() == []
            assert learned(driver, copy.name) == before
        finally:
            copy.forget_all()
    assert [each.status for each in memory.episodes()] == ["learned"] * 3


def test_a_waiting_episode_teaches_the_same_where_its_tags_have_ids_in_another_order(
    driver: Driver, memory: Memory
) -> None:
    for number in range(3):
        learn(memory, CUE_TIN, TIN_IRON, LEAD_GOLD, question=f"Who, {number}?")
    file = io.BytesIO()
    memory.export(file)
    file.seek(0)
    memory.maintain()
    # here the tags stand in the opposite order of the one in which an import makes them
    backwards: Content = [["zinc", "tin", "lead", "iron", "gold", "cue"]]
    with written(driver, {"z": backwards}) as name, Memory.open(name, driver=driver) as copy:
        copy.load(file, merge=True)
        copy.forget("z")
        copy.maintain()
        assert learned(driver, copy.name) == learned(driver, memory.name)
        assert copy.check() == []


def test_what_changed_between_two_cycles_is_computed_from_the_ledger(memory: Memory) -> None:
    one, two, three = learn(memory, CUE_TIN), learn(memory, TIN_ZINC), learn(memory, CUE_TIN, CUE_LEAD)
    memory.maintain()
    idle = 0.55 - 0.05 * (1 - exp(-1 / 5))  # one cycle without use
    compared = {(edge.source, edge.target): edge for edge in memory.compare(0, 2).edges}
    assert [compared[CUE_TIN].before, compared[CUE_TIN].after] == pytest.approx([0.5, idle])
    assert [compared[TIN_ZINC].before, compared[TIN_ZINC].after] == pytest.approx([0.5, 0.55])
    assert compared.keys() == {CUE_TIN, TIN_ZINC}
    whole = memory.compare(0, 3)
    assert whole.episodes == (one, two, three)
    last = {(edge.source, edge.target): edge for edge in memory.compare(2, 3).edges}
    assert last[CUE_TIN].after == pytest.approx(idle + 0.1 * (1 - idle))
    assert (last[CUE_TIN].uses, last[TIN_ZINC].uses) == ((three,), ())
    assert last[TIN_ZINC].after == pytest.approx(idle), "what was not used has faded"
    assert memory.compare(2, 2).edges == ()
    memory.undo(three)
    assert {(edge.source, edge.target) for edge in memory.compare(0, 3).edges} == {CUE_TIN, TIN_ZINC}
    for since, until in ((1, 0), (-1, 2), (0, 4)):
        with pytest.raises(UsageError, match="cannot compare"):
            memory.compare(since, until)


def test_the_strengths_of_the_ledger_are_those_of_the_graph(driver: Driver, memory: Memory) -> None:
    pick = random.Random(5)
    for _ in range(12):
        learn(memory, *pick.sample([CUE_TIN, TIN_ZINC, CUE_LEAD, TIN_IRON], 2))
    memory.maintain()
    query = """MATCH (a:Tag {memory: $memory})-[r:CO_OCCURS]->(b) WHERE r.strength IS NOT NULL
        RETURN a.name AS a, b.name AS b, r.strength AS strength"""
    rows = driver.execute_query(query, memory=memory.name).records
    graph = {tuple(sorted([row["a"], row["b"]])): row["strength"] for row in rows}
    ledger = {tuple(sorted([each.source, each.target])): each.after for each in memory.compare(0, 12).edges}
    assert len(ledger) > 3
    assert ledger == {pair: pytest.approx(strength, abs=1e-12) for pair, strength in graph.items()}


def test_an_episode_says_what_it_used_and_what_became_of_it(memory: Memory) -> None:
    name = learn(memory, CUE_TIN, TIN_IRON)
    assert [edge.after for edge in memory.episode(name).edges] == [None, None, None]
    memory.maintain()
    episode = memory.episode(name)
    assert (episode.status, episode.cycle, episode.trust, episode.modules) == (
        "learned",
        1,
        0.9,
        ("by hand",),
    )
    edges = {(edge.source, edge.target): edge for edge in episode.edges}
    used = edges[CUE_TIN]
    assert (used.before, used.after) == (EdgeState(), EdgeState(0.55, 1, 1))
    joint = edges.get(TIN_IRON) or edges["iron", "tin"]
    assert (joint.joint_before, joint.joint_after, joint.after) == (0, 1, EdgeState())
    assert list(memory.episodes()) == [episode]
    with pytest.raises(UsageError, match="no status"):
        list(memory.episodes("lost"))
