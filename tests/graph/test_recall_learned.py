"""What use has taught, as recall sees it: strengths that decay, emergent edges, edges that are broken."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from itertools import combinations
from math import exp, inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from bamboo_neo4j.cli.app import plain
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.recall import associations as rules
from bamboo_neo4j.recall.associations import associate
from tests.graph.drafts import weights
from tests.graph.recalling import ask, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neo4j import Driver

    from bamboo_neo4j.records import Association
    from tests.graph.drafts import Content

LAMBDA, TAU = 0.05, 5.0  # Kairos: how fast strength goes, and how long it waits before it goes


def current(strength: float, idle: int, floor: float = 0.5) -> float:
    """Strength after `idle` cycles without use, cycle by cycle: each takes λ (1 − exp(−i / τ))."""
    for number in range(1, idle + 1):
        strength -= LAMBDA * (1 - exp(-number / TAU))
    return max(floor, strength)


def learn(driver: Driver, memory: str, pair: tuple[str, str], **properties: float) -> None:
    """Plant what was learned on an edge; the rank follows as of the sweep."""
    driver.execute_query(
        """MATCH (a:Tag {memory: $memory, key: $a})-[edge:CO_OCCURS]-(b:Tag {memory: $memory, key: $b})
        SET edge += $properties, edge.activations = 1
        SET edge.rank = coalesce($properties.rank,
            (CASE WHEN edge.weight >= 1 THEN edge.weight ELSE 1 END) * coalesce(edge.strength, 0.5) / 0.5)""",
        memory=memory,
        a=pair[0],
        b=pair[1],
        properties=properties,
    )


def used(driver: Driver, memory: str, pair: tuple[str, str], strength: float, *, cycle: int) -> None:
    learn(driver, memory, pair, strength=strength, usedStrength=strength, usedCycle=cycle)


def unlearn(driver: Driver, memory: str) -> None:
    """Make a memory as it was written."""
    driver.execute_query(
        """MATCH (m:BambooMemory {name: $memory}) SET m.cycle = 0, m.swept = 0
        WITH m MATCH (a:Tag {memory: $memory})-[edge:CO_OCCURS]->(b)
        REMOVE edge.strength, edge.usedStrength, edge.usedCycle, edge.activations
        SET edge.weight = COUNT { (a)<-[:TAGGED]-(:Chunk)-[:TAGGED]->(b) }
        SET edge.rank = toFloat(edge.weight)""",
        memory=memory,
    )


def set_cycle(driver: Driver, memory: str, cycle: int) -> None:
    query = "MATCH (m:BambooMemory {name: $memory}) SET m.cycle = $cycle, m.swept = $cycle"
    driver.execute_query(query, memory=memory, cycle=cycle)


def neighbours(
    driver: Driver, memory: str, *keys: str, first: int = 5, second: int = 3
) -> tuple[Association, ...]:
    read = GraphClient(driver, owns=False).read
    return associate(keys, read=read, memory=memory, first=first, second=second)


# Chunks: a learned edge from the question's tag widens the link over it.


class Fork(NamedTuple):
    """A question's chunk that leads over two tags alike to two chunks: `late` is ordered second."""

    memory: str
    early: str
    late: str

    def scores(self, driver: Driver) -> dict[str, float]:
        found = ask(driver, self.memory, "cue", first=0)
        assert found.chunks[0].document == "source"
        return {chunk.document: chunk.score for chunk in found.chunks}


@pytest.fixture(scope="module")
def forked(driver: Driver) -> Iterator[Fork]:
    content: dict[str, Content] = {
        "source": [["subject", "cue", "second cue", "bridgea", "bridgeb"]],
        "bridgea": [["bridgea", "copper"]],
        "bridgeb": [["bridgeb", "copper"]],
        **{f"other{number}": [[f"w{number}q", f"x{number}q"]] for number in range(5)},
    }
    with written(driver, content) as memory:
        scores = Fork(memory, "", "").scores(driver)
        early, late = (name for name in scores if name.startswith("bridge"))
        assert scores[early] == scores[late], "alike, so that the id decides"
        yield Fork(memory, early, late)


@pytest.fixture
def fork(driver: Driver, forked: Fork) -> Iterator[Fork]:
    yield forked
    unlearn(driver, forked.memory)


@pytest.fixture(scope="module")
def _fan(driver: Driver) -> Iterator[str]:
    tags = ["tin", "zinc", "lead", "iron", "gold"]
    content = [["cue", tag] for number, tag in enumerate(tags) for _ in range(number + 1)]
    with written(driver, {"a": content}) as memory:
        yield memory


@pytest.fixture
def fan(driver: Driver, _fan: str) -> Iterator[str]:
    """A tag that stands once beside tin, twice beside zinc, and so on to lead, iron and gold."""
    yield _fan
    unlearn(driver, _fan)


@pytest.mark.parametrize("strength", [0.51, 0.6, 0.75, 1.0])
def test_what_was_learned_widens_a_link_by_up_to_a_half(driver: Driver, fork: Fork, strength: float) -> None:
    before = fork.scores(driver)
    used(driver, fork.memory, ("cue", fork.late), strength, cycle=0)
    after = fork.scores(driver)
    assert list(after) == ["source", fork.late, fork.early]
    assert after[fork.early] == before[fork.early]
    gain = 1 + 0.5 * (strength - 0.5) / 0.5
    assert after[fork.late] == pytest.approx(before[fork.late] * gain, rel=1e-12)


@pytest.mark.parametrize("idle", [0, 1, 2, 5, 8])
def test_what_was_learned_fades_cycle_by_cycle(driver: Driver, fork: Fork, idle: int) -> None:
    before = fork.scores(driver)
    used(driver, fork.memory, ("cue", fork.late), 0.95, cycle=3)
    set_cycle(driver, fork.memory, 3 + idle)
    faded = current(0.95, idle)
    assert faded > 0.5
    gain = 1 + 0.5 * (faded - 0.5) / 0.5
    assert fork.scores(driver)[fork.late] == pytest.approx(before[fork.late] * gain, rel=1e-12)


def test_from_one_five_idle_cycles_leave_what_the_papers_equations_say() -> None:
    assert current(1.0, 5) == pytest.approx(0.893, abs=5e-4)


def test_evidence_never_falls_below_a_half_so_use_never_costs(driver: Driver, fork: Fork) -> None:
    before = fork.scores(driver)
    used(driver, fork.memory, ("cue", fork.late), 0.9, cycle=0)
    set_cycle(driver, fork.memory, 1000)
    assert fork.scores(driver) == before


def test_a_use_that_is_ahead_of_the_memorys_clock_has_not_begun_to_fade(driver: Driver, fork: Fork) -> None:
    before = fork.scores(driver)
    used(driver, fork.memory, ("cue", fork.late), 1.0, cycle=7)
    assert fork.scores(driver)[fork.late] == pytest.approx(before[fork.late] * 1.5, rel=1e-12)


def test_a_sweep_changes_nothing_that_recall_says(driver: Driver, fork: Fork) -> None:
    used(driver, fork.memory, ("cue", fork.late), 0.9, cycle=0)
    set_cycle(driver, fork.memory, 4)
    before = fork.scores(driver)
    swept = current(0.9, 4)
    learn(driver, fork.memory, ("cue", fork.late), strength=swept, usedStrength=0.9, usedCycle=0)
    assert fork.scores(driver) == before


def test_of_several_cues_the_best_learned_edge_counts(driver: Driver, fork: Fork) -> None:
    question = "cue, second cue"

    def scores() -> dict[str, float]:
        found = ask(driver, fork.memory, question, first=0)
        return {chunk.document: chunk.score for chunk in found.chunks}

    before = scores()
    used(driver, fork.memory, ("cue", fork.late), 0.6, cycle=0)
    used(driver, fork.memory, ("second cue", fork.late), 0.8, cycle=0)
    assert scores()[fork.late] == pytest.approx(before[fork.late] * 1.3, rel=1e-12)


def test_a_learned_edge_counts_from_either_end(driver: Driver) -> None:
    content: dict[str, Content] = {
        "source": [["subject", "cue", "abridge", "zbridge"]],
        **{name: [[name, f"{name}q"]] for name in ("abridge", "zbridge", "w1q", "w2q", "w3q")},
    }

    def scores(memory: str) -> dict[str, float]:
        return {chunk.document: chunk.score for chunk in ask(driver, memory, "cue", first=0).chunks}

    with written(driver, content) as memory:
        before = scores(memory)
        for bridge in ("abridge", "zbridge"):
            used(driver, memory, ("cue", bridge), 0.8, cycle=0)
            assert scores(memory)[bridge] == pytest.approx(before[bridge] * 1.3, rel=1e-12)


def test_what_was_learned_beside_other_tags_changes_nothing(driver: Driver, fork: Fork) -> None:
    before = fork.scores(driver)
    for pair in (("bridgea", "copper"), ("subject", "bridgeb"), ("subject", "cue"), ("second cue", "cue")):
        used(driver, fork.memory, pair, 1.0, cycle=0)
    assert fork.scores(driver) == before


def test_the_strength_that_is_said_of_a_path_is_that_of_the_current_cycle(driver: Driver, fork: Fork) -> None:
    used(driver, fork.memory, ("cue", fork.late), 0.9, cycle=1)
    set_cycle(driver, fork.memory, 4)
    chunks = {chunk.document: chunk for chunk in ask(driver, fork.memory, "cue").chunks}
    via = [each for each in chunks[fork.late].via if each.source == "cue"]
    assert [(each.target, each.weight) for each in via] == [(fork.late, 1)]
    assert via[0].strength == pytest.approx(current(0.9, 3))
    assert chunks[fork.early].via[0].strength == 0.5
    set_cycle(driver, fork.memory, 100)
    assert ask(driver, fork.memory, "cue").chunks[1].via[0].strength == 0.5


# Associations, by hand.


Strengths = dict[tuple[str, str], float]


def by_hand(
    content: Content, cues: Sequence[str], first: int, second: int, learned: Strengths
) -> list[tuple[Any, ...]]:
    """First- and second-degree neighbours from the chunks alone, as `as_paths` has them."""
    held = [set(tags) for tags in content]
    df = {tag: sum(tag in chunk for chunk in held) for tag in set().union(*held)}
    near: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for (a, b), weight in weights([content]).items():
        score = weight / (df[a] + df[b] - weight) * learned.get((a, b), 0.5) / 0.5
        near[a].append((b, weight, score))
        near[b].append((a, weight, score))
    for found in near.values():
        found.sort(key=lambda each: (-each[2], each[0]))
    paths: list[tuple[Any, ...]] = []
    for cue in cues:
        for tag, weight, score in near[cue][:first]:
            paths.append((cue, tag, None, 1, weight, score))
            others = [each for each in near[tag] if each[0] != cue][:second]
            paths += [(cue, other, tag, 2, count, value / 2) for other, count, value in others]
    best: dict[str, tuple[Any, ...]] = {}
    for path in sorted(paths, key=lambda each: (-round(each[5], 12), each[3], each[1], each[0])):
        best.setdefault(path[1], path)
    return list(best.values())


def as_paths(found: Sequence[Association]) -> list[tuple[Any, ...]]:
    return [(one.cue, one.tag, one.through, one.degree, one.weight, one.score) for one in found]


def a_content(seed: int) -> Content:
    pick = random.Random(seed)
    tags = [f"t{number}q" for number in range(14)]
    return [sorted(pick.sample(tags, pick.randint(2, 5)), key=lambda _: pick.random()) for _ in range(30)]


@pytest.mark.parametrize("seed", range(4))
def test_associations_are_those_of_the_chunks(driver: Driver, seed: int) -> None:
    content = a_content(seed)
    pick = random.Random(seed)
    pairs = sorted(weights([content]))
    learned = {pair: round(pick.uniform(0.51, 1.0), 3) for pair in pick.sample(pairs, 8)} if seed % 2 else {}
    with written(driver, {"a": content}) as memory:
        for pair, strength in learned.items():
            used(driver, memory, pair, strength, cycle=0)
        for cues, first, second in ((["t0q"], 5, 3), (["t1q", "t2q", "t3q"], 3, 2), (["t4q"], 20, 0)):
            expected = by_hand(content, cues, first, second, learned)
            found = as_paths(neighbours(driver, memory, *cues, first=first, second=second))
            assert [each[:2] for each in found] == [each[:2] for each in expected]
            for mine, theirs in zip(found, expected, strict=True):
                assert mine == (*theirs[:5], pytest.approx(theirs[5], rel=1e-12))


def test_associations_say_rank_as_of_the_sweep_and_strength_as_of_now(driver: Driver, fan: str) -> None:
    used(driver, fan, ("cue", "tin"), 0.9, cycle=0)
    near = {each.tag: each for each in neighbours(driver, fan, "cue", second=0)}
    assert (near["zinc"].weight, near["zinc"].rank, near["zinc"].strength) == (2, 2.0, 0.5)
    assert near["zinc"].score == pytest.approx(2 / (15 + 2 - 2))
    assert (near["tin"].weight, near["tin"].rank, near["tin"].strength) == (1, 1.8, 0.9)
    assert near["tin"].score == pytest.approx(1 / 15 * 0.9 / 0.5)
    driver.execute_query("MATCH (m:BambooMemory {name: $memory}) SET m.cycle = 4", memory=fan)
    later = next(each for each in neighbours(driver, fan, "cue", second=0) if each.tag == "tin")
    assert later.strength == pytest.approx(current(0.9, 4))
    assert (later.rank, later.score) == (near["tin"].rank, near["tin"].score)


def test_a_stronger_edge_overtakes_a_heavier_one(driver: Driver, fan: str) -> None:
    order = ["gold", "iron", "lead", "zinc", "tin"]
    assert [each.tag for each in neighbours(driver, fan, "cue", second=0)] == order
    used(driver, fan, ("cue", "lead"), 1.0, cycle=0)  # 3/15 × 1/0.5 is more than 5/15
    assert [each.tag for each in neighbours(driver, fan, "cue", second=0)] == [
        "lead",
        "gold",
        "iron",
        "zinc",
        "tin",
    ]


def test_a_tag_reached_twice_keeps_its_best_path(driver: Driver) -> None:
    content = [["cue", "tin", "zinc"], ["tin", "zinc"]]
    with written(driver, {"a": content}) as memory:
        found = neighbours(driver, memory, "cue")
        assert [(each.tag, each.degree, each.through) for each in found] == [
            ("tin", 1, None),
            ("zinc", 1, None),
        ]


def test_no_more_neighbours_come_back_than_were_asked_for(driver: Driver) -> None:
    tags = [f"t{number:02}q" for number in range(rules.FETCH + 15)]
    with written(driver, {"a": [["cue", tag] for tag in tags]}) as memory:
        for first in (1, 5, rules.FETCH, rules.FETCH + 10):
            assert len(neighbours(driver, memory, "cue", first=first, second=0)) == first
        found = neighbours(driver, memory, tags[0], first=1, second=rules.FETCH_SECOND + 10)
        assert len(found) == 1 + rules.FETCH_SECOND + 10


# Emergent edges: learned, with no chunk behind them.


def emerge(driver: Driver, memory: str, pair: tuple[str, str], *, cycle: int) -> None:
    driver.execute_query(
        """MATCH (a:Tag {memory: $memory}), (b:Tag {memory: $memory})
        WHERE a.key IN $pair AND b.key IN $pair AND a.id < b.id
        CREATE (a)-[edge:CO_OCCURS {src: a.id, dst: b.id, weight: 0, strength: 0.3, usedStrength: 0.3,
            usedCycle: $cycle, activations: 1, emergent: true, rank: 0.6}]->(b)""",
        memory=memory,
        pair=list(pair),
        cycle=cycle,
    )


def test_an_emergent_edge_is_an_association_until_it_has_faded(driver: Driver) -> None:
    content = [["cue", "tin"], ["cue", "lead"], ["zinc", "iron"]]
    with written(driver, {"a": content}) as memory:
        emerge(driver, memory, ("cue", "zinc"), cycle=2)
        set_cycle(driver, memory, 2)
        near = {each.tag: each for each in neighbours(driver, memory, "cue", second=0)}
        assert (near["zinc"].weight, near["zinc"].strength, near["zinc"].rank) == (0, 0.3, 0.6)
        # max(weight, 1) / (df + df' − weight) × strength / 0.5
        assert near["zinc"].score == pytest.approx(1 / (2 + 1 - 0) * 0.3 / 0.5)
        assert {each.tag for each in neighbours(driver, memory, "cue")} == {"tin", "lead", "zinc", "iron"}
        fades = next(idle for idle in range(100) if current(0.3, idle, 0.1) == 0.1)
        for idle, left in ((fades - 1, True), (fades, False), (fades + 50, False)):
            driver.execute_query(
                "MATCH (m:BambooMemory {name: $memory}) SET m.cycle = $cycle", memory=memory, cycle=2 + idle
            )
            found = {each.tag: each for each in neighbours(driver, memory, "cue")}
            assert ("zinc" in found) is left
            assert ("iron" in found) is left
            if left:
                assert found["zinc"].strength == pytest.approx(current(0.3, idle, 0.1))


# P27: one broken edge.


BROKEN = ["rank", "strength", "usedStrength", "weight"]


def damage(driver: Driver, memory: str, pair: tuple[str, str], name: str, value: float) -> None:
    driver.execute_query(
        """MATCH (:Tag {memory: $memory, key: $a})-[edge:CO_OCCURS]-(:Tag {memory: $memory, key: $b})
        SET edge += $broken""",
        memory=memory,
        a=pair[0],
        b=pair[1],
        broken={name: value},
    )


@pytest.mark.parametrize("value", [nan, inf, -inf, -1.0], ids=str)
@pytest.mark.parametrize("name", BROKEN)
def test_p27_a_broken_edge_leaves_the_other_associations_in_their_order(
    driver: Driver, fan: str, name: str, value: float
) -> None:
    before = neighbours(driver, fan, "cue", second=0)
    damage(driver, fan, ("cue", "lead"), name, value)
    found = neighbours(driver, fan, "cue", second=0)
    assert [each for each in found if each.tag != "lead"] == [each for each in before if each.tag != "lead"]
    # Reached from elsewhere it may lose its place, but never spoils the order.
    both = neighbours(driver, fan, "gold", "tin", second=4)
    assert {each.tag for each in both} - {"lead"} == {"cue", "iron", "zinc", "gold", "tin"}
    scores = [each.score for each in both if each.tag != "lead"]
    assert scores == sorted(scores, reverse=True)
    json.dumps(plain([*found, *both]), allow_nan=False)


@pytest.mark.parametrize("name", BROKEN)
def test_p27_an_edge_that_is_no_number_is_not_the_first_association(
    driver: Driver, fan: str, name: str
) -> None:
    damage(driver, fan, ("cue", "tin"), name, nan)
    assert neighbours(driver, fan, "cue", second=0)[0].tag == "gold"


@pytest.mark.parametrize("value", [nan, inf, -inf], ids=str)
@pytest.mark.parametrize("name", BROKEN)
def test_p27_a_broken_edge_leaves_the_chunks_in_their_order(
    driver: Driver, fork: Fork, name: str, value: float
) -> None:
    used(driver, fork.memory, ("cue", fork.late), 0.9, cycle=0)
    before = fork.scores(driver)
    damage(driver, fork.memory, ("cue", fork.early), name, value)
    assert fork.scores(driver) == before
    json.dumps(plain(ask(driver, fork.memory, "cue second")), allow_nan=False)


def test_edges_of_a_pair_are_counted_from_both_sides(driver: Driver) -> None:
    content = a_content(9)
    with written(driver, {"a": content}) as memory:
        for a, b in list(combinations(sorted({tag for tags in content for tag in tags}), 2))[:12]:
            ours = {each.tag: each.weight for each in neighbours(driver, memory, a, first=50, second=0)}
            theirs = {each.tag: each.weight for each in neighbours(driver, memory, b, first=50, second=0)}
            assert ours.get(b) == theirs.get(a) == weights([content]).get((a, b))
