"""Reasoning on a real memory: claims are looked up in the graph; what passes the gate is recorded once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import InputError, NothingRecalled, UsageError
from bamboo_neo4j.learn.claims import GraphChecker
from bamboo_neo4j.memory.stating import moment
from bamboo_neo4j.records import ReasoningOutput, UsedPair
from bamboo_neo4j.settings import read_settings
from tests.scripted import ScriptedServer
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.graph.server import RunningServer
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.settings import Settings
    from tests.scripted import Request

RULES = {
    "description": "security audit of contracts",
    "rules": [
        {
            "name": "re-entrancy",
            "if": [["?contract", "has function", "?f"], ["?f", "makes", "external call"]],
            "then": "{contract} has a security risk: {f} can be re-entered",
            "stance": -1,
        }
    ],
}
TEXTS = (
    "Ada Kern performed the album Green in Port Linnet.",
    "Leo Brandt built the lighthouse of Port Linnet.",
)
FACTS = (
    {"subject": "ApolloContract", "predicate": "has function", "object": "withdraw", "confidence": 0.9},
    {"subject": "withdraw", "predicate": "makes", "object": "external call", "confidence": 0.8},
    {
        "subject": "ApolloContract",
        "predicate": "audited by",
        "object": "Linden Labs",
        "validFrom": "2024-01-01",
        "validTo": "2024-12-31",
    },
)
QUESTION = "Has ApolloContract a security risk?"
PRAISE = [{"date": "2024-05-01", "subject": "ApolloContract", "text": "A success and strong growth."}]


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(TEXTS)
        opened.load_facts(FACTS)
        yield opened
        opened.forget_all()


class Claims:
    """A module of a user's own that claims what it is told to."""

    name = "claims"
    description = "whatever"

    def __init__(self, facts: Sequence[str] = (), pairs: Sequence[UsedPair] = ()) -> None:
        self._facts, self._pairs = tuple(facts), tuple(pairs)

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        memory.recall("Port Linnet")
        chunks = tuple(pair.chunk for pair in self._pairs)
        return ReasoningOutput(self.name, question, 0.9, ("a step",), self._facts, self._pairs, chunks=chunks)


def ids(memory: Memory) -> dict[str, str]:
    return {fact.predicate: fact.id for fact in memory.facts()}


def chunks(memory: Memory) -> dict[str, str]:
    return {chunk.text: chunk.id for chunk in memory.recall("Port Linnet").chunks}


def everything(driver: Driver, memory: Memory) -> list[object]:
    """The state of the memory's node, and all there is of episodes."""
    query = """MATCH (memory:BambooMemory {name: $memory})
    RETURN properties(memory) AS memory, COUNT { MATCH (:Episode {memory: $memory}) } AS episodes"""
    return [dict(row) for row in driver.execute_query(query, memory=memory.name).records]


def test_claims_are_verified_in_the_graph_and_each_fault_is_named(memory: Memory, driver: Driver) -> None:
    known, texts = ids(memory), chunks(memory)
    green, tower = texts[TEXTS[0]], texts[TEXTS[1]]
    pairs = [
        UsedPair("Ada Kern", "PORT LINNET", green),
        UsedPair("Ada Kern", "Leo Brandt", green),
        UsedPair("Ada Kern", "Port Linnet", tower),
        UsedPair("Ada Kern", "Port Linnet", f"{memory.name}:none"),
    ]
    with Memory.open(f"{memory.name}-b", driver=driver) as other:
        other.load_facts([FACTS[0]])
        stranger = next(other.facts()).id
        asked = [*known.values(), stranger, f"{memory.name}:none"]
        check = GraphChecker(memory._client.read, memory.name, memory.normaliser, moment("2025-06-01"))  # noqa: SLF001
        found = check(asked, pairs)
        other.forget_all()
    assert found.unverified_facts == {
        known["audited by"]: "was not valid at the time asked",
        stranger: "is not in the memory",
        f"{memory.name}:none": "is not in the memory",
    }
    assert [found.unverified_pairs.get(pair) for pair in pairs] == [
        None,
        "the chunk does not hold 'Leo Brandt'",
        "the chunk does not hold 'Ada Kern'",
        f"there is no chunk '{memory.name}:none'",
    ]


def test_what_rules_conclude_is_validated_and_recorded_as_an_episode(memory: Memory, driver: Driver) -> None:
    found = memory.reason(QUESTION, rules=RULES)
    known = ids(memory)
    assert found.answer.conclusion == "ApolloContract has a security risk: withdraw can be re-entered"
    assert found.answer.facts == (known["has function"], known["makes"])
    assert [fact.strength for fact in found.facts] == [0.9, 0.8]
    assert found.verdict.passed
    assert found.episode
    assert found.episode.status == "validated"
    stored = driver.execute_query(
        "MATCH (e:Episode {memory: $memory}) RETURN e.id, e.facts, e.trust", memory=memory.name
    ).records
    assert [tuple(row.values()) for row in stored] == [
        (found.episode.id, list(found.answer.facts), found.verdict.trust)
    ]


def test_reasoning_without_learning_writes_nothing(memory: Memory, driver: Driver) -> None:
    before = everything(driver, memory)
    assert memory.reason(QUESTION, rules=RULES, learn=False).episode is None
    assert everything(driver, memory) == before


def test_a_claim_that_the_graph_does_not_hold_lowers_grounding_and_is_not_recorded(memory: Memory) -> None:
    known, green = ids(memory), chunks(memory)[TEXTS[0]]
    true = [known["has function"], known["makes"]]
    pairs = [UsedPair("Ada Kern", "Port Linnet", green), UsedPair("Ada Kern", "Leo Brandt", green)]
    found = memory.reason("Ada Kern?", modules=[Claims([*true, "invented"], pairs)])
    assert {score.name: score.value for score in found.verdict.scores}["grounding"] == 0.6
    assert not found.verdict.passed
    assert found.episode
    assert found.episode.status == "rejected"
    assert {edge.fact for edge in found.episode.edges if edge.fact} == set(true)
    names = {frozenset((edge.source, edge.target)) for edge in found.episode.edges if not edge.fact}
    assert frozenset(("ada kern", "leo brandt")) not in names


def test_facts_are_taken_as_of_the_time_asked(memory: Memory) -> None:
    audited = {"rules": [{"name": "audited", "if": [["?c", "audited by", "?a"]], "then": "{c}: {a}"}]}
    assert memory.reason("?", rules=audited, as_of="2024-12-31", learn=False).answer.conclusion
    with pytest.raises(NothingRecalled):
        memory.reason("?", rules=audited, as_of="2025-01-01", learn=False)
    with pytest.raises(UsageError, match="'soon'"):
        memory.reason("?", rules=audited, as_of="soon", learn=False)


def test_modules_that_disagree_are_both_shown_and_nothing_is_learned(memory: Memory) -> None:
    found = memory.reason(QUESTION, modules=["rules", "sentiment"], rules=RULES, announcements=PRAISE)
    assert [judged.output.module for judged in found.conclusions] == ["rules", "sentiment"]
    assert [module for module, _ in found.disagreements[0].sides] == ["rules", "sentiment"]
    assert all(judged.verdict.passed for judged in found.conclusions)
    assert found.answer.module == "rules+sentiment"
    assert found.answer.stance is None
    assert not found.verdict.passed
    assert found.episode
    assert found.episode.status == "rejected"


def test_a_conclusion_that_does_not_pass_is_shown_and_is_no_part_of_the_answer(memory: Memory) -> None:
    found = memory.reason(QUESTION, modules=["rules", Claims()], rules=RULES, learn=False)
    passed = {judged.output.module: judged.verdict.passed for judged in found.conclusions}
    assert passed == {"rules": True, "claims": False}
    assert found.answer.module == "rules"
    assert found.verdict.passed


def test_an_answer_given_before_is_not_new_and_the_paper_gate_says_so(memory: Memory) -> None:
    first = memory.reason(QUESTION, rules=RULES, gate="paper")
    again = memory.reason(QUESTION, rules=RULES, gate="paper")
    novelty = [
        {score.name: score.value for score in found.verdict.scores}["novelty"] for found in (first, again)
    ]
    assert novelty[0]
    assert novelty[1] == 0
    assert not again.verdict.passed
    assert memory.reason(QUESTION, rules=RULES, learn=False).verdict.passed  # quality only reports it


def test_what_cannot_be_used_is_refused_before_any_work(
    memory: Memory, driver: Driver, tmp_path: Path
) -> None:
    before = everything(driver, memory)
    with pytest.raises(UsageError, match="--rules FILE"):
        memory.reason(QUESTION, modules=["rules"])
    with pytest.raises(UsageError, match="'oracle'"):
        memory.reason(QUESTION, modules=["oracle"], rules=RULES)
    with pytest.raises(UsageError, match="needs a model"):
        memory.reason(QUESTION, modules=["llm"])
    with pytest.raises(UsageError, match="no module has anything"):
        memory.reason(QUESTION)
    with pytest.raises(UsageError, match="question is empty"):
        memory.reason(" ", rules=RULES)
    with pytest.raises(InputError, match="cannot be read"):
        memory.reason(QUESTION, rules=tmp_path / "none.json")
    assert everything(driver, memory) == before


def test_a_memory_that_is_not_there_yet_stays_so(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("date,rate\n2024,1\n2025,2\n2026,3\n")
    with Memory.open(settings=settings) as memory:
        found = memory.reason("Is the rate rising?", table=path)
        assert found.answer.conclusion.startswith("rate is rising")
        assert not found.verdict.passed  # nothing in the graph holds it
        assert found.episode is None
        assert memory.name not in [row["name"] for row in memory.memories()]


# With a model, by script over HTTP.


def test_a_model_reasons_over_passages_and_judges_and_its_pairs_are_looked_up(
    server: RunningServer, memory: Memory
) -> None:
    pairs = [
        {"source": "Ada Kern", "target": "Port Linnet", "passage": "C1"},
        {"source": "Ada Kern", "target": "Leo Brandt", "passage": "C1"},
    ]
    reply = {
        "answerable": True,
        "steps": ["C1 says so"],
        "conclusion": "Ada Kern performed Green in Port Linnet.",
        "confidence": 0.8,
        "pairs": pairs[:1],
    }

    def answer(request: Request) -> object:
        return reply if "answerable" in request.prompt else {"reason": "it follows", "score": 0.9}

    question = "Where did Ada Kern perform Green?"
    with ScriptedServer(answer) as service, with_model(server, memory.name, service) as other:
        found = other.reason(question, modules=["llm"], validators="model")
        assert service.calls == 5
        reply["pairs"] = pairs
        worse = other.reason(question, modules=["llm"], validators="model", learn=False)
    assert {score.name: score.value for score in found.verdict.scores} == {
        "logical": 0.9,
        "grounding": 0.9,
        "novelty": 0.9,
        "alignment": 0.9,
    }
    assert found.episode
    assert found.episode.status == "validated"
    assert found.answer.chunks == (chunks(memory)[TEXTS[0]],)
    assert {score.name: score.value for score in worse.verdict.scores}["grounding"] == 0.5
    assert not worse.verdict.passed


def test_a_mind_map_reasons_beside_rules_where_it_is_named_and_stores_nothing_without_learning(
    server: RunningServer, memory: Memory
) -> None:
    brain = Brain(answer=says("Leo Brandt", "Leo Brandt built"))
    question = "Who built the lighthouse of Port Linnet?"
    with ScriptedServer(brain) as service, with_model(server, memory.name, service) as other:
        found = other.reason(question, modules=["mindmap", "rules"], rules=RULES, learn=False)
        assert other.questions() == ()
    mindmap = next(each for each in found.conclusions if each.output.module == "mindmap")
    assert "Leo Brandt" in mindmap.output.conclusion
    assert mindmap.output.pairs
    assert {score.name: score.value for score in mindmap.verdict.scores}["grounding"] == 1


@contextmanager
def with_model(server: RunningServer, name: str, service: ScriptedServer) -> Iterator[Memory]:
    flags = {"uri": server.uri, "username": server.username, "password": server.password}
    settings = read_settings({**flags, "model_url": service.url, "model": "scripted"}, environ={})
    with Memory.open(name, settings=settings) as opened:
        yield opened
