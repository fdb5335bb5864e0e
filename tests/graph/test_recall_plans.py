"""How recall's statements read the graph: by index, in bounded steps, whatever the size of the memory."""

from __future__ import annotations

import random
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

import neo4j
import pytest

from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.recall import associations as rules
from bamboo_neo4j.recall import cues
from bamboo_neo4j.recall.associations import associate
from tests.graph.recalling import ENGLISH, Asked, ask, recall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neo4j import Driver

TAGS, EDGES, HELD = 20_000, 200_000, 10
HUB = 0
"""The number of the tag that has an edge with every other one."""
BATCH = 20_000

_LEASE = "MATCH (s:BambooSchema) SET s.nextTagId = s.nextTagId + $count RETURN s.nextTagId - $count AS n"
_CHUNKS = """UNWIND range(0, $count - 1) AS number
CREATE (:Document {memory: $memory, id: 'd' + number, uri: '', title: '', mediaType: 'text/plain'})
    <-[:FROM_DOCUMENT]-(:Chunk {id: $memory + ':' + number, memory: $memory, ordinal: 0, text: 'Text',
    tokens: 20, length: 20, terms: reduce(all = 'w' + number, i IN range(0, $held - 1) |
        all + ' t' + ($held * number + i) + 'q n' + ($held * number + i) + 'q')})"""
_TAGS = """UNWIND $rows AS number
CREATE (tag:Tag {memory: $memory, key: 't' + number + 'q n' + number + 'q', id: $first + number,
    name: 't' + number + 'q n' + number + 'q', display: 'T' + number})
CREATE (:Word {memory: $memory, name: 't' + number + 'q', df: 1})
WITH tag, number
MATCH (chunk:Chunk {id: $memory + ':' + (number / $held)})
CREATE (chunk)-[:TAGGED {salience: 1.0, kind: 'entity'}]->(tag)"""
_EDGES = """UNWIND $rows AS row
MATCH (a:Tag {id: $first + row[0]}) MATCH (b:Tag {id: $first + row[1]})
CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: row[2], rank: toFloat(row[2])}]->(b)"""


class Large(NamedTuple):
    """A memory of 20,000 tags and 200,000 edges, one tag of which has an edge with every other."""

    driver: Driver
    name: str
    first: int

    @property
    def asked(self) -> Asked:
        return Asked(GraphClient(self.driver, owns=False))

    def run(self, prefix: str, name: str, **parameters: object) -> dict[str, Any]:
        """Run EXPLAIN or PROFILE of a statement with its samples, replaced where given; return the plan."""
        statement = load(name)
        samples = ", ".join(f"{value} AS `{each}`" for each, value in statement.parameters)
        values = self.driver.execute_query(f"RETURN {samples}").records[0].data()
        values |= {key: self.name for key in ("memory",) if key in values}
        with self.driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            result = session.run(f"{prefix} {statement.text}", {**values, **parameters})
            summary = result.consume()
        plan = summary.profile if prefix == "PROFILE" else summary.plan
        assert plan
        return plan


def tag(number: int) -> str:
    return f"t{number}q n{number}q"


@pytest.fixture(scope="module")
def large(driver: Driver) -> Iterator[Large]:
    name = f"test-{uuid.uuid4().hex[:16]}"
    client = GraphClient(driver, owns=False)
    schema.prepare(client)
    schema.open_memory(client, name, language="en", normaliser=ENGLISH.fingerprint)
    first = driver.execute_query(_LEASE, count=TAGS).records[0]["n"]
    try:
        _plant(driver, name, first)
        yield Large(driver, name, first)
    finally:
        wipe(client, name)


def _plant(driver: Driver, name: str, first: int) -> None:
    driver.execute_query(_CHUNKS, memory=name, count=TAGS // HELD, held=HELD)
    for batch in batches(range(TAGS)):
        driver.execute_query(_TAGS, rows=batch, memory=name, first=first, held=HELD)
    pick = random.Random(0)
    pairs = {(HUB, other): 1 + other % 7 for other in range(1, TAGS)}
    while len(pairs) < EDGES:
        a, b = sorted((pick.randrange(TAGS), pick.randrange(TAGS)))
        if a != b:
            pairs.setdefault((a, b), 1 + min(int(pick.paretovariate(1.2)), 40))
    for batch in batches([[a, b, weight] for (a, b), weight in sorted(pairs.items())]):
        driver.execute_query(_EDGES, rows=batch, first=first)
    done = "MATCH (m:BambooMemory {name: $memory}) SET m.chunks = $chunks, m.terms = 20 * $chunks"
    driver.execute_query(done, memory=name, chunks=TAGS // HELD)


def batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), BATCH):
        yield list(rows[start : start + BATCH])


# Plans.


def operator(plan: dict[str, Any]) -> str:
    return str(plan["operatorType"]).split("@")[0]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield operator(plan)
    for child in plan.get("children", ()):
        yield from operators(child)


def seeks(plan: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each index seek on CO_OCCURS: what it reads, and the operators above it, the nearest first."""
    details = str(plan["args"].get("Details", ""))
    if "IndexSeek" in operator(plan) and "CO_OCCURS" in details:
        yield f"{operator(plan)} {details}", above
    for child in plan.get("children", ()):
        yield from seeks(child, (operator(plan), *above))


def hits(plan: dict[str, Any]) -> int:
    return int(plan["args"].get("DbHits", 0)) + sum(map(hits, plan.get("children", ())))


RECALL = ["associate", "candidates", "evidence", "explain", "links", "paper_associate", "paper_chunks"]
COSTLY = {
    "AllNodesScan",
    "CartesianProduct",
    "DirectedAllRelationshipsScan",
    "DirectedRelationshipIndexScan",
    "DirectedRelationshipTypeScan",
    "NodeByLabelScan",
    "NodeIndexScan",
    "PartitionedNodeByLabelScan",
    "UndirectedAllRelationshipsScan",
    "UndirectedRelationshipIndexScan",
    "UndirectedRelationshipTypeScan",
}


@pytest.mark.parametrize("name", RECALL)
def test_p31_no_statement_of_recall_scans_or_multiplies(large: Large, name: str) -> None:
    assert not COSTLY & set(operators(large.run("EXPLAIN", f"recall/{name}")))


def test_every_statement_of_recall_is_looked_at() -> None:
    from bamboo_neo4j.graph.statements import names

    assert {f"recall/{name}" for name in RECALL} == {name for name in names() if name.startswith("recall/")}


@pytest.mark.parametrize("name", ["associate", "paper_associate"])
def test_a_hubs_edges_come_from_the_index_in_order_and_are_never_sorted(large: Large, name: str) -> None:
    found = list(seeks(large.run("EXPLAIN", f"recall/{name}")))
    assert len(found) == 4, "both directions of both degrees"
    for details, above in found:
        assert details.startswith("DirectedRelationshipIndexSeek")
        before_limit = above[: above.index("Limit")]
        assert not [each for each in before_limit if "Sort" in each or "Top" in each or "Eager" in each]
    assert sum("(src, rank, dst)" in details for details, _ in found) == 2
    assert sum("(dst, rank, src)" in details for details, _ in found) == 2


def test_learned_edges_of_a_cue_come_from_their_own_index(large: Large) -> None:
    found = [details for details, _ in seeks(large.run("EXPLAIN", "recall/links"))]
    assert len(found) == 2
    assert sum("(src, strength)" in details for details in found) == 1
    assert sum("(dst, strength)" in details for details in found) == 1


def test_edges_of_a_path_are_found_by_their_unique_pair(large: Large) -> None:
    (found,) = seeks(large.run("EXPLAIN", "recall/evidence"))
    assert "UniqueIndexSeek" in found[0]
    assert "(src, dst)" in found[0]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("associate", {"cues": [tag(HUB)], "first": 5, "second": 3}),
        ("paper_associate", {"cues": [tag(HUB)], "first": 5, "second": 3}),
        ("candidates", {"words": {"t0q": '"t0q"'}, "grams": [tag(HUB), "t0q"]}),
    ],
)
def test_a_hub_of_twenty_thousand_edges_costs_what_any_tag_costs(
    large: Large, name: str, parameters: dict[str, object]
) -> None:
    if name == "associate":
        parameters = {**parameters, "fetch": rules.FETCH, "fetchSecond": rules.FETCH_SECOND}
    assert hits(large.run("PROFILE", f"recall/{name}", **parameters)) < 5_000


def test_links_from_the_chunk_of_a_hub_do_not_read_its_edges(large: Large) -> None:
    parameters = {
        "sources": [f"{large.name}:{number}" for number in range(8)],
        "scores": [1.0] * 8,
        "grams": [],
        "cues": [large.first + HUB],
        "known": {},
        "n": TAGS // HELD,
    }
    assert hits(large.run("PROFILE", "recall/links", **parameters)) < 5_000


def test_the_neighbours_of_a_hub_are_its_heaviest(large: Large) -> None:
    read = large.asked
    found = associate([tag(HUB)], read=read, memory=large.name, first=rules.FETCH, second=0)
    assert len(found) == rules.FETCH
    assert {each.weight for each in found} == {7}
    assert found == associate([tag(HUB)], read=read, memory=large.name, first=rules.FETCH, second=0)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


# P31: many tags in one question.


@pytest.mark.parametrize("count", [50, 500])
def test_p31_a_question_of_many_known_tags_is_answered_twice_alike(large: Large, count: int) -> None:
    numbers = random.Random(1).sample(range(1, TAGS), count)
    question = " and ".join(map(tag, numbers))
    one, two = (recall(large.asked, large.name, question) for _ in range(2))
    assert one.chunks
    assert (one.chunks, one.associations, one.cues) == (two.chunks, two.associations, two.cues)
    assert len([cue for cue in one.cues if cue.tag]) == min(count, cues.MOST_WORDS)
    said = " ".join(one.truncated)
    assert ("left out" in said) is (count > cues.MOST_WORDS)
    assert ("not read" in said) is (3 * count > cues.MOST_TOKENS)


def test_p31_a_question_of_fifty_tags_reads_what_fifty_tags_need(large: Large) -> None:
    numbers = random.Random(2).sample(range(1, TAGS), 50)
    asked = large.asked
    found = recall(asked, large.name, " ".join(map(tag, numbers)), limit=5)
    assert len(asked.names) == 4
    assert len(found.chunks) == 5
    parameters = {
        "cues": [tag(number) for number in numbers],
        "first": 5,
        "second": 3,
        "fetch": rules.FETCH,
        "fetchSecond": rules.FETCH_SECOND,
    }
    assert hits(large.run("PROFILE", "recall/associate", **parameters)) < 50 * 5_000


def test_a_hub_in_a_question_is_answered(large: Large) -> None:
    found = ask(large.driver, large.name, f"{tag(HUB)} and {tag(5)}")
    assert [cue.tag for cue in found.cues] == [tag(HUB), tag(5)]
    assert found.chunks[0].id == f"{large.name}:0"
