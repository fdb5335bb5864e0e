"""Facts on a real server: stated once, whoever loads them how often, and what was learned on them stays."""

from __future__ import annotations

import io
import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.graph import check
from bamboo_neo4j.memorise.facts import writing
from bamboo_neo4j.records import Document, FactsLoaded
from tests.faults.proxy import Proxy
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer
    from bamboo_neo4j.memorise.facts.inputs import Given
    from tests.faults.proxy import Break

KNOWS: dict[str, object] = {
    "subject": "Ada Kern",
    "predicate": "knows",
    "object": "Leo Brandt",
    "confidence": 0.9,
}
ROLE = {**KNOWS, "predicate": "has role", "source": "roll"}
ROWS: list[dict[str, object]] = [
    KNOWS,
    {
        **KNOWS,
        "predicate": "has role",
        "object": "keeper",
        "source": "roll",
        "validFrom": "2020",
        "validTo": "2023",
    },
    {**KNOWS, "predicate": "has_role", "object": "warden", "source": "roll", "validFrom": "2024-01-01"},
]


@pytest.fixture
def memory(driver: Driver, memory_name: str) -> Iterator[Memory]:
    with Memory.open(memory_name, driver=driver) as opened:
        yield opened
        assert opened.check() == []
        opened.forget_all()
        left = "MATCH (t:Tag {memory: $m}) RETURN count(t) AS tags"
        assert driver.execute_query(left, m=memory_name).records[0]["tags"] == 0


def stated(row: dict[str, object], **fields: object) -> dict[str, object]:
    return {**row, **fields}


def counted(loaded: FactsLoaded) -> tuple[int, int, int, int]:
    return loaded.added, loaded.updated, loaded.unchanged, len(loaded.failed)


def stored(driver: Driver, memory: Memory) -> list[dict[str, Any]]:
    """Everything about the facts of a memory, and its tags."""
    facts = """MATCH (a:Tag {memory: $m})-[f:FACT]->(b:Tag {memory: $m})
        RETURN a.key AS a, b.key AS b, properties(f) AS f ORDER BY f.id"""
    tags = "MATCH (t:Tag {memory: $m}) RETURN t.key AS key, t.name AS name, t.display AS display ORDER BY key"
    return [
        record.data()
        for query in (facts, tags)
        for record in driver.execute_query(query, m=memory.name).records
    ]


def learn(driver: Driver, memory: Memory, *, cycle: int, **learned: object) -> None:
    """Let the memory's clock stand at `cycle`, and a fact be used as learning would leave it."""
    driver.execute_query("MATCH (m:BambooMemory {name: $m}) SET m.cycle = $c", m=memory.name, c=cycle)
    driver.execute_query(
        "MATCH (:Tag {memory: $m})-[f:FACT {predicate: 'knows'}]->() SET f += $s", m=memory.name, s=learned
    )


def test_loading_again_changes_nothing(memory: Memory, driver: Driver) -> None:
    assert counted(memory.load_facts(ROWS)) == (3, 0, 0, 0)
    before = stored(driver, memory)
    assert counted(memory.load_facts(ROWS)) == (0, 0, 3, 0)
    assert counted(memory.load_facts([*ROWS, *ROWS])) == (0, 0, 6, 0)
    assert stored(driver, memory) == before
    assert memory.stats()["facts"] == 3


def test_a_fact_is_loaded_with_its_confidence_at_the_present_cycle(memory: Memory, driver: Driver) -> None:
    memory.load_facts(ROWS[1:])
    learn(driver, memory, cycle=7)
    memory.load_facts(KNOWS)
    fact = next(row["f"] for row in stored(driver, memory) if row.get("f", {}).get("predicate") == "knows")
    learned = [fact[name] for name in ("confidence", "strength", "usedStrength", "usedCycle", "activations")]
    assert learned == [0.9, 0.9, 0.9, 7, 0]
    assert (fact["subject"], fact["object"], fact["source"]) == ("Ada Kern", "Leo Brandt", "")


def test_loading_again_resets_nothing_that_was_learned(memory: Memory, driver: Driver) -> None:
    memory.load_facts(ROWS)
    learn(driver, memory, cycle=5, strength=0.95, usedStrength=0.95, usedCycle=5, activations=4)
    before = stored(driver, memory)
    memory.load_facts(ROWS)
    assert stored(driver, memory) == before
    assert counted(memory.load_facts(stated(KNOWS, confidence=0.4))) == (0, 1, 0, 0)
    (fact,) = memory.facts(predicate="knows")
    assert (fact.confidence, fact.strength, fact.activations) == (0.4, 0.95, 4)


def test_a_changed_confidence_of_an_unused_fact_is_as_if_it_had_been_loaded_so(
    memory: Memory, driver: Driver
) -> None:
    memory.load_facts(KNOWS)
    learn(driver, memory, cycle=6)
    driver.execute_query("MATCH (m:BambooMemory {name: $m}) SET m.swept = 2", m=memory.name)
    for confidence in (0.4, 0.6):
        memory.load_facts(stated(KNOWS, confidence=confidence))
    fact = stored(driver, memory)[0]["f"]
    assert (fact["confidence"], fact["usedStrength"], fact["usedCycle"]) == (0.6, 0.6, 0)
    assert fact["strength"] == pytest.approx(stepped(0.6, 2))


def test_a_source_that_ends_a_fact_does_not_state_another(memory: Memory) -> None:
    memory.load_facts(ROWS)
    assert counted(memory.load_facts(stated(ROWS[2], validTo="2026-06-30"))) == (0, 1, 0, 0)
    assert [fact.valid_to for fact in memory.facts(object="warden")] == ["2026-06-30"]


def stepped(strength: float, idle: int) -> float:
    """Decay step by step, as the formula's sum says (λ = 0.05, τ = 5, floor 0.1)."""
    return max(0.1, strength - sum(0.05 * (1 - math.exp(-i / 5)) for i in range(1, idle + 1)))


@pytest.mark.parametrize(("cycle", "used"), [(0, 0), (1, 0), (5, 0), (9, 3), (300, 0)])
def test_the_strength_shown_is_decayed_to_the_present_cycle(
    memory: Memory, driver: Driver, cycle: int, used: int
) -> None:
    memory.load_facts(KNOWS)
    learn(driver, memory, cycle=cycle, usedCycle=used)
    (fact,) = memory.facts()
    assert fact.strength == pytest.approx(stepped(0.9, max(0, cycle - used)), abs=1e-9)


def test_a_fact_below_the_floor_is_never_stronger_for_not_being_used(memory: Memory, driver: Driver) -> None:
    memory.load_facts([stated(KNOWS, confidence=0.05), stated(KNOWS, source="roll", confidence=0.4)])
    learn(driver, memory, cycle=9)
    memory.maintain()
    memory.load_facts(stated(KNOWS, source="roll", confidence=0.03))
    written = [row["f"]["strength"] for row in stored(driver, memory) if "f" in row]
    named: list[dict[str, str]] = [{}, {"subject": "Ada Kern"}, {"object": "Leo Brandt"}]
    shown = [[fact.strength for fact in memory.facts(**filters)] for filters in named]
    assert [sorted(strengths) for strengths in [written, *shown]] == [[0.03, 0.05]] * 4


def names(memory: Memory, **filters: Any) -> list[str]:  # noqa: ANN401
    return [fact.object for fact in memory.facts(**filters)]


def test_facts_are_found_by_subject_predicate_and_object_however_spelled(memory: Memory) -> None:
    memory.load_facts([*ROWS, {"subject": "Leo Brandt", "predicate": "knows", "object": "Mira Solen"}])
    assert names(memory) == ["keeper", "warden", "leo brandt", "mira solen"]
    assert names(memory, subject="the ADA kern", predicate="hasRole") == ["keeper", "warden"]
    assert names(memory, predicate="Knows") == ["leo brandt", "mira solen"]
    assert names(memory, object="Léo Brandt") == ["leo brandt"]
    assert names(memory, subject="Ada Kern", object="wardens") == ["warden"]
    assert names(memory, subject="nobody") == names(memory, predicate="nothing") == []


@pytest.mark.parametrize(
    ("day", "roles"),
    [
        ("2019-12-31", []),
        ("2020-01-01", ["keeper"]),
        ("2023-12-31", ["keeper"]),
        ("2023-12-31T23:59:59Z", ["keeper"]),
        ("2024-01-01T00:30+01:00", ["keeper"]),
        ("2024-01-01", ["warden"]),
        ("2999", ["warden"]),
    ],
)
def test_as_of_a_day_the_version_of_that_day_is_valid(memory: Memory, day: str, roles: list[str]) -> None:
    memory.load_facts(ROWS)
    for filters in ({}, {"subject": "Ada Kern"}):
        assert names(memory, predicate="has role", as_of=day, **filters) == roles
    assert names(memory, object="keeper", as_of=day) == roles[:1] * (roles == ["keeper"])


def test_as_of_a_time_a_fact_has_stopped_at_its_end(memory: Memory) -> None:
    memory.load_facts(stated(KNOWS, validFrom="2026-05-01T12:00Z", validTo="2026-05-02T12:00Z"))
    valid = {"2026-05-01": 0, "2026-05-01T12:00Z": 1, "2026-05-02": 1, "2026-05-02T12:00Z": 0}
    assert {time: len(names(memory, as_of=time)) for time in valid} == valid
    with pytest.raises(UsageError, match="'soon' is no day"):
        names(memory, as_of="soon")


def test_removing_facts_takes_back_the_tags_that_nothing_else_holds(memory: Memory, driver: Driver) -> None:
    memory.remember(Document("a", "", "", "Ada Kern met Mira Solen in Port Linnet.", "text/plain"))
    before = [tag["name"] for tag in memory.tags()]
    memory.load_facts(ROWS)
    (knows,) = memory.facts(predicate="knows")
    assert memory.remove_facts(knows.id, knows.id) == 1
    assert "leo brandt" not in [tag["name"] for tag in memory.tags()]
    with pytest.raises(NotFound, match="there is no fact"):
        memory.remove_facts(next(memory.facts()).id, knows.id)
    with pytest.raises(NotFound, match="there is no fact"):
        memory.remove_facts("\udcff")
    assert memory.stats()["facts"] == 2
    assert memory.remove_all_facts() == 2
    assert [tag["name"] for tag in memory.tags()] == before
    assert stored(driver, memory)[0].get("f") is None


def test_a_fact_of_another_memory_is_not_removed(memory: Memory, driver: Driver) -> None:
    with Memory.open(f"{memory.name}-other", driver=driver) as other:
        other.load_facts(KNOWS)
        (theirs,) = other.facts()
        with pytest.raises(NotFound):
            memory.remove_facts(theirs.id)
        memory.load_facts(KNOWS)
        memory.remove_all_facts()
        assert [fact.id for fact in other.facts()] == [theirs.id]
        other.forget_all()


def test_forgetting_a_document_leaves_the_tags_that_facts_hold(memory: Memory) -> None:
    memory.remember(Document("a", "", "", "Ada Kern met Mira Solen in Port Linnet.", "text/plain"))
    memory.load_facts(ROWS)
    memory.forget("a")
    assert {tag["name"] for tag in memory.tags()} == {"ada kern", "leo brandt", "keeper", "warden"}
    assert len(list(memory.facts())) == 3


def test_a_bad_row_stops_no_other_and_progress_is_told(memory: Memory) -> None:
    seen: list[int] = []
    rows: list[Given] = [stated(KNOWS, object=f"friend {n}", confidence=n / 1200) for n in range(1203)]
    loaded = memory.load_facts(rows, progress=seen.append)
    assert counted(loaded) == (1201, 0, 0, 2)
    assert [failure.source for failure in loaded.failed] == ["row 1202", "row 1203"]
    assert seen == [writing.BATCH, 1203]


def test_several_loaders_at_once_state_each_fact_once(memory: Memory, driver: Driver) -> None:
    rows: list[Given] = [stated(KNOWS, subject=f"person {n % 40}", object=f"friend {n}") for n in range(1500)]

    def work(part: int) -> FactsLoaded:
        with Memory.open(memory.name, driver=driver) as own:
            return own.load_facts(rows[part * 250 :] + rows[: part * 250])

    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(work, range(4)))
    assert sum(each.added for each in loaded) == 1500
    assert sum(each.unchanged for each in loaded) == 3 * 1500
    assert memory.stats()["facts"] == 1500
    assert memory.stats()["tags"] == 1540


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_commit_that_breaks_states_and_removes_each_fact_once(
    memory: Memory, driver: Driver, server: RunningServer, how: Break
) -> None:
    memory.load_facts(KNOWS)
    with Proxy(server.uri) as proxy, Memory.open(memory.name, uri=proxy.uri, auth=server.auth) as broken:
        for _ in range(2):  # the lease of tag ids, and the facts
            proxy.break_next(how)
        broken.load_facts(ROWS)
        assert proxy.broken == [how, how]
        assert len(stored(driver, memory)) == 3 + 4
        proxy.break_next(how)
        broken.remove_all_facts()
    assert memory.stats()["tags"] == memory.stats()["facts"] == 0


def test_the_memory_is_exact_while_facts_and_documents_that_share_tags_come_and_go(
    memory: Memory, driver: Driver
) -> None:
    texts = ["Ada Kern met Leo Brandt.", "Leo Brandt is a keeper in Port Linnet.", "Mira Solen met Ada Kern."]
    memory.load_facts(KNOWS)
    errors: list[Exception] = []

    def work(seed: int) -> None:
        with Memory.open(memory.name, driver=driver) as own:
            for step in range(5):
                try:
                    if (seed + step) % 4 == 0:
                        own.remove_facts(*(fact.id for fact in own.facts(predicate="has role")))
                    elif (seed + step) % 4 == 1:
                        own.forget(f"d{step % 3}")
                    elif (seed + step) % 4 == 2:
                        own.remember(texts[step % 3], id=f"d{step % 3}")
                    else:
                        own.load_facts(ROWS)
                except NotFound:
                    pass  # another one was quicker
                except Exception as error:  # noqa: BLE001
                    errors.append(error)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    assert errors == []
    assert memory.check() == []
    memory.remove_all_facts()
    for document in list(memory.documents()):
        memory.forget(document["id"])
    assert memory.stats()["tags"] == 0


def test_facts_go_through_a_file_and_come_out_equal(memory: Memory, driver: Driver) -> None:
    memory.load_facts([*ROWS, stated(KNOWS, source="a time", validFrom="2026-05-01T12:00+02:00")])
    learn(driver, memory, cycle=5, strength=0.95, usedStrength=0.95, usedCycle=5, activations=4)
    file = io.BytesIO()
    memory.export(file)
    file.seek(0)
    with Memory.open(f"{memory.name}-copy", driver=driver) as copy:
        copy.load(file)
        assert copy.check() == []
        again = copy.load_facts(ROWS)
        assert counted(again) == (0, 0, 3, 0)
        mine, theirs = stored(driver, memory), stored(driver, copy)
        for row in (*mine, *theirs):
            if "f" in row:
                row["f"]["id"] = row["f"]["id"].partition(":")[2]
        assert theirs == mine
        copy.forget_all()


def test_facts_that_are_merged_into_a_younger_memory_were_not_used_in_its_future(
    memory: Memory, driver: Driver
) -> None:
    memory.load_facts(ROWS)
    learn(driver, memory, cycle=9, strength=0.95, usedStrength=0.95, usedCycle=8, activations=4)
    file = io.BytesIO()
    memory.export(file)
    file.seek(0)
    with Memory.open(f"{memory.name}-young", driver=driver) as young:
        young.load_facts(stated(KNOWS, object="Mira Solen"))
        young.load(file, merge=True)
        assert young.check() == []
        (fact,) = young.facts(object="Leo Brandt")
        assert (fact.strength, fact.activations) == (0.95, 4)
        young.forget_all()


def test_facts_outlive_indexing_the_memory_anew(memory: Memory, driver: Driver) -> None:
    runs: list[Given] = [*ROWS, {"subject": "Running", "predicate": "is like", "object": "Runs"}]
    memory.remember(Document("a", "", "", "Ada Kern was Running.", "text/plain"), language="de")
    memory.load_facts(runs)
    before = sorted((fact.id, fact.subject_text, fact.object_text) for fact in memory.facts())
    tags = memory.stats()["tags"]
    for language, fewer in (("en", 1), ("de", 1)):  # in English, Running and Runs are one tag
        memory.reindex(language=language)
        assert memory.check() == []
        assert counted(memory.load_facts(runs)) == (0, 0, 4, 0)
        assert memory.stats()["tags"] == int(str(tags)) - fewer
    assert sorted((fact.id, fact.subject_text, fact.object_text) for fact in memory.facts()) == before
    keys = "MATCH (t:Tag {memory: $m}) RETURN t.key AS key, t.display AS display"
    for row in driver.execute_query(keys, m=memory.name).records:
        assert row["key"] == memory.normaliser.key(row["display"])


DAMAGE = {
    "id": "SET f.id = null",
    "id of another memory": "SET f.id = 'other:' + $m",
    "predicate": "SET f.predicate = null",
    "confidence": "SET f.confidence = null",
    "p27 confidence": "SET f.confidence = 0.0 / 0.0",
    "p27 strength": "SET f.strength = 1.0 / 0.0",
    "usedStrength": "SET f.usedStrength = -0.5",
    "usedCycle": "SET f.usedCycle = null",
    "activations": "SET f.activations = -1",
    "text": "SET f.confidence = 'high'",
    "time": "SET f.validFrom = 'soon'",
    "period": "SET f.validFrom = date('2026-02-01'), f.validTo = date('2026-01-01')",
}


def test_check_names_every_damaged_fact_and_repair_mends_them(memory: Memory, driver: Driver) -> None:
    rows: list[Given] = [stated(KNOWS, predicate=name) for name in DAMAGE]
    memory.load_facts([*rows, *ROWS])
    for name, damage in DAMAGE.items():
        query = f"MATCH (:Tag {{memory: $m}})-[f:FACT {{predicate: $p}}]->() {damage}"
        driver.execute_query(query, m=memory.name, p=name)
    faults = [fault for fault in memory.check() if fault.invariant == "fact"]
    named = {fault.where.split(" – ")[1] for fault in faults}
    assert named == {"null" if name == "predicate" else name for name in DAMAGE}
    list(memory.facts())
    assert memory.repair()
    assert memory.check() == []
    memory.load_facts(rows)
    found = list(memory.facts())
    assert {fact.predicate for fact in found} == {*DAMAGE, "knows", "has role", "has_role"}
    assert all((fact.confidence, fact.strength) == (0.9, 0.9) for fact in found)


def test_check_names_a_fact_between_two_memories(memory: Memory, driver: Driver) -> None:
    with Memory.open(f"{memory.name}-other", driver=driver) as other:
        other.load_facts(KNOWS)
        memory.load_facts(KNOWS)
        cross = """MATCH (a:Tag {memory: $a, key: 'ada kern'}), (b:Tag {memory: $b, key: 'leo brandt'})
            CREATE (a)-[f:FACT {id: $a + ':x', predicate: 'p', confidence: 1.0, strength: 1.0,
            usedStrength: 1.0, usedCycle: 0, activations: 0}]->(b)"""
        driver.execute_query(cross, a=memory.name, b=other.name)
        assert [fault.expected for fault in memory.check()] == ["ends in one memory"]
        assert [fault.expected for fault in other.check()] == ["ends in one memory"]
        memory.repair()
        assert other.check() == []
        other.forget_all()


def test_p27_a_planted_nan_leaves_the_other_facts_in_order(memory: Memory, driver: Driver) -> None:
    memory.load_facts(ROWS)
    before = names(memory)
    nan = "MATCH (:Tag {memory: $m})-[f:FACT {predicate: 'knows'}]->() SET f.usedStrength = 0.0 / 0.0"
    driver.execute_query(nan, m=memory.name)
    assert names(memory) == before
    assert all(0.1 <= fact.strength <= 1 for fact in memory.facts())
    assert len(list(check.find_faults(memory._client, memory.name))) == 1  # noqa: SLF001
    memory.repair()


def test_a_file_that_is_loaded_in_part_says_which_part(memory: Memory, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("subject,predicate,object\na,is,b\na,is\n", encoding="utf-8")
    bad.write_text("who,what\n", encoding="utf-8")
    loaded = memory.load_facts([bad, good])
    assert counted(loaded) == (1, 0, 0, 2)
    assert [failure.source.rpartition("/")[2] for failure in loaded.failed] == ["bad.csv", "good.csv, line 3"]
    assert "the header has no column subject" in loaded.failed[0].reason


def test_the_example_loads_whole(memory: Memory) -> None:
    loaded = memory.load_facts(CHECKOUT / "examples" / "apollo" / "facts.csv")
    assert (loaded.failed, loaded.warnings) == ((), ())
    open_ = {day: memory.facts(predicate="open critical findings", as_of=day) for day in ("2025", "2026")}
    assert {day: [fact.object_text for fact in facts] for day, facts in open_.items()} == {
        "2025": [],
        "2026": ["2"],
    }
