"""Random weeks of writing and learning against a model in Python: one graph, however it is maintained."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.records import ReasoningOutput, RecalledChunk, UsedEdge, Verdict, Via
from tests.graph.drafts import draft
from tests.graph.recalling import ENGLISH, written
from tests.learning_model import LearningModel, State

if TYPE_CHECKING:
    from neo4j import Driver

TAGS = ["brass", "chalk", "flint", "gold", "iron", "lead", "tin", "zinc"]
PASSED = Verdict(passed=True, gate="quality", trust=0.9, scores=(), reasons=())
FAILED = Verdict(passed=False, gate="quality", trust=0.2, scores=(), reasons=("too little",))

READ = """MATCH (a:Tag {memory: $memory})-[edge:CO_OCCURS|FACT|CO_ACTIVATED]->(b:Tag)
RETURN type(edge) AS kind, a.name AS a, b.name AS b, properties(edge) AS of"""


def stored(driver: Driver, memory: str) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Read the graph in the form of the model."""
    columns = {
        "CO_OCCURS": ("weight", "rank", "strength", "usedStrength", "usedCycle", "activations", "emergent"),
        "FACT": ("strength", "usedStrength", "usedCycle", "activations"),
        "CO_ACTIVATED": ("count",),
    }
    rows = {}
    for row in driver.execute_query(READ, memory=memory).records:
        kind, of = row["kind"], row["of"]
        ends = (of["id"].removeprefix(f"{memory}:"),) if kind == "FACT" else sorted([row["a"], row["b"]])
        rows[kind, *ends] = tuple(of.get(name) for name in columns[kind])
    return rows


class Week:
    """Random steps on a memory and on its model."""

    def __init__(self, driver: Driver, memory: Memory, *, seed: int) -> None:
        self.choose = random.Random(seed)
        self.driver, self.memory, self.model = driver, memory, LearningModel()
        self.client = GraphClient(driver, owns=False)
        self.writer = Writer(self.client, memory=memory.name, normaliser=ENGLISH.fingerprint)
        self.waiting: list[tuple[UsedEdge, ...]] = []
        self.grown = 0
        self.model.write("base", [[tag] for tag in TAGS])

    def write(self) -> None:
        """Write a document anew."""
        name = f"d{self.choose.randrange(4)}"
        content = [
            self.choose.sample(TAGS, self.choose.randint(1, 4)) for _ in range(self.choose.randint(1, 2))
        ]
        self.writer.write([draft(self.memory.name, name, content)])
        self.model.write(name, content)

    def forget(self) -> None:
        """Forget a document, if it is there."""
        written = sorted(name for name, chunks in self.model.chunks.items() if chunks and name != "base")
        if written:
            name = self.choose.choice(written)
            self.writer.forget(name)
            self.model.write(name, [])

    def state(self) -> None:
        """State a fact between two tags, one of them with less confidence than the floor of facts."""
        name, ends = f"f{len(self.model.facts)}", tuple(self.choose.sample(TAGS, 2))
        if len(self.model.facts) < 3:
            confidence = [0.8, 0.05, 0.8][len(self.model.facts)]
            self.driver.execute_query(
                """MATCH (m:BambooMemory {name: $memory}), (a:Tag {memory: $memory, name: $a}),
                    (b:Tag {memory: $memory, name: $b})
                CREATE (a)-[:FACT {id: $memory + ':' + $id, predicate: 'feeds', confidence: $confidence,
                    strength: $confidence, usedStrength: $confidence,
                    usedCycle: m.cycle, activations: 0}]->(b)""",
                memory=self.memory.name,
                id=name,
                confidence=confidence,
                a=ends[0],
                b=ends[1],
            )
            self.model.facts[name] = (ends[0], ends[1])
            self.model.stated[name] = State(confidence, self.model.cycle, 0)

    def learn(self) -> None:
        """Record an episode with a random path; one in six does not pass the gate."""
        passed = self.choose.random() < 5 / 6
        cited = []
        for number in range(self.choose.randint(1, 3)):
            path = self.choose.sample(TAGS[: self.choose.choice([3, 5, 8])], self.choose.randint(2, 3))
            via = tuple(Via(a, b, 1, 1, 0.5) for a, b in pairwise(path))
            cited.append(RecalledChunk(str(number), "", "", 0, "", 1, 1.0, via))
        facts = [f"{self.memory.name}:{name}" for name in self.model.facts if self.choose.random() < 0.4]
        self._record(ReasoningOutput("by hand", "so", 0.9, facts=tuple(facts)), cited, passed=passed)

    def idle(self) -> None:
        """Let cycles pass in which nothing is used."""
        for _ in range(self.choose.randint(1, 9)):
            self._record(ReasoningOutput("by hand", "so", 0.9), [], passed=True)

    def _record(self, output: ReasoningOutput, cited: list[RecalledChunk], *, passed: bool) -> None:
        episode = self.memory.learn("Which?", output, PASSED if passed else FAILED, cited=cited)
        if passed:
            self.waiting.append(tuple(self._named(each) for each in episode.edges))

    def _named(self, edge: UsedEdge) -> UsedEdge:
        """Name a fact as the model does."""
        fact = edge.fact and edge.fact.removeprefix(f"{self.memory.name}:")
        return UsedEdge(edge.source, edge.target, edge.share, fact=fact, together=edge.together)

    def batch(self) -> None:
        """Run one batch of one statement, as a job does, with a limit that cuts through the work."""
        name = self.choose.choice(["strengthen", "decay", "decay", "emerge", "prune"])
        limit = self.choose.choice([1, 2, 7, 5000])
        parameters = {"memory": self.memory.name, "limit": limit}
        row = self.client.write(lambda transaction: transaction.run(f"learn/{name}", parameters))[0]
        assert row.get("skipped", 0) == 0
        self.grown += row["edges"] if name == "emerge" else 0
        if name == "strengthen":
            taken, self.waiting = self.waiting[: row["episodes"]], self.waiting[row["episodes"] :]
            assert row["remaining"] == len(self.waiting)
            for edges in taken:
                self.model.learn(edges)

    def maintain(self) -> None:
        """Maintain until nothing is left."""
        done = self.memory.maintain()
        assert done.episodes == len(self.waiting)
        for edges in self.waiting:
            self.model.learn(edges)
        self.waiting = []
        self.grown += done.grown
        assert done.cycle == self.model.cycle


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_the_graph_is_that_of_the_model_however_it_was_written_and_maintained(
    driver: Driver, seed: int
) -> None:
    with (
        written(driver, {"base": [[tag] for tag in TAGS]}) as name,
        Memory.open(name, driver=driver) as memory,
    ):
        week = Week(driver, memory, seed=seed)
        steps = [week.write, week.forget, week.state, week.learn, week.idle, week.batch, week.maintain]
        for number in range(100):
            week.choose.choices(steps, weights=[5, 2, 1, 10, 2, 9, 1])[0]()
            if number % 10 == 9:
                assert memory.check() == []
        week.maintain()
        assert memory.check() == []
        wanted, found = week.model.graph(), stored(driver, name)
        assert found.keys() == wanted.keys()
        for key, values in wanted.items():
            assert found[key] == pytest.approx(values, abs=1e-9), key
        assert week.grown > 0
        assert any(values[2] is not None for values in wanted.values() if len(values) == 7)
