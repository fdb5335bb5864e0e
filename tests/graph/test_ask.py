"""`Memory.ask` on a real memory, with models that reply by script over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import InputError, ModelError, NothingRecalled, UsageError
from bamboo_neo4j.memory import Memory
from bamboo_neo4j.settings import read_settings
from tests.scripted import ScriptedServer
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.graph.server import RunningServer
    from bamboo_neo4j.settings import Settings
    from tests.scripted import Request

SPOUSE = "Who is married to the performer of Green?"
ALBUM = "Ada Kern performed the album Green."
MARRIAGE = "Ada Kern is married to Leo Brandt."
STEPS = {SPOUSE: ["Who performed the album Green?", "Who is married to #1?"]}


@contextmanager
def opened(server: RunningServer, name: str, model: ScriptedServer, **flags: str) -> Iterator[Memory]:
    base = {"uri": server.uri, "username": server.username, "password": server.password}
    settings = read_settings({**base, "model_url": model.url, "model": "scripted", **flags}, environ={})
    with Memory.open(name, settings=settings) as memory:
        yield memory


@pytest.fixture
def spouses(server: RunningServer, memory_name: str) -> Iterator[str]:
    """A memory that holds two short documents, and a third about something else."""
    with ScriptedServer([]) as model, opened(server, memory_name, model) as memory:
        for id_, text in (("album", ALBUM), ("marriage", MARRIAGE), ("bridge", "The bridge is in Bergen.")):
            memory.remember(text, id=id_)
        yield memory_name
        memory.forget_all()


def knowing() -> Brain:
    return Brain(
        plans=STEPS,
        answers={
            "Who performed the album Green?": says("Ada Kern", "performed"),
            "Who is married to Ada Kern?": says("Leo Brandt", "is married"),
            SPOUSE: says("Leo Brandt", "Leo Brandt"),
        },
    )


def test_p32_a_second_step_carries_the_first_answer_and_both_documents_are_cited(
    server: RunningServer, spouses: str
) -> None:
    brain = knowing()
    with ScriptedServer(brain) as model, opened(server, spouses, model) as memory:
        asked = memory.ask(SPOUSE)
    assert asked.answer == "Leo Brandt"
    assert {chunk.document for chunk in asked.chunks} == {"album", "marriage"}
    assert [one.verdict for one in asked.map.questions] == ["verified"] * 3
    assert asked.map.questions[2].asked == "Who is married to Ada Kern?"
    assert (asked.spent.retrievals, asked.spent.second_lookups) == (1, 0)
    assert brain.asked("answer")[-1] == SPOUSE
    assert asked.gate is not None
    assert asked.gate.passed
    assert asked.episode is not None


def test_p32_without_the_first_document_it_abstains(server: RunningServer, spouses: str) -> None:
    brain = knowing()
    with ScriptedServer(brain) as model, opened(server, spouses, model) as memory:
        memory.forget("album")
        asked = memory.ask(SPOUSE)
    assert asked.abstained
    assert asked.answer == "I don't know"
    assert brain.asked("answer") == []


def test_one_look_up_is_one_recall_and_the_map_is_stored_with_its_chunks(
    server: RunningServer, spouses: str
) -> None:
    with ScriptedServer(knowing()) as model, opened(server, spouses, model) as memory:
        asked = memory.ask(SPOUSE, learn=False)
        stored = memory.question_map(asked.map.id)
        assert asked.episode is None
    assert stored.answer == asked.answer
    assert [one.verdict for one in stored.map.questions] == [one.verdict for one in asked.map.questions]
    assert [set(one.chunks) for one in stored.map.questions] == [
        set(one.chunks) for one in asked.map.questions
    ]


def test_a_validated_answer_is_an_episode_of_pairs_that_the_graph_holds(
    server: RunningServer, spouses: str
) -> None:
    with ScriptedServer(knowing()) as model, opened(server, spouses, model) as memory:
        before = memory.stats()
        asked = memory.ask(SPOUSE)
        assert memory.stats()["chunks"] == before["chunks"]
        assert memory.check() == []
    assert asked.output is not None
    assert {pair.chunk for pair in asked.output.pairs} <= {chunk.id for chunk in asked.chunks}
    assert {frozenset((pair.source, pair.target)) for pair in asked.output.pairs} >= {
        frozenset(("ada kern", "leo brandt"))
    }


def test_facts_that_were_loaded_answer_and_are_cited(server: RunningServer, spouses: str) -> None:
    question = "Which instrument does Ada Kern play?"
    brain = Brain(answer=says("cello", "Ada Kern plays cello"))
    with ScriptedServer(brain) as model, opened(server, spouses, model) as memory:
        memory.load_facts([{"subject": "Ada Kern", "predicate": "plays", "object": "cello"}])
        asked = memory.ask(question)
    assert asked.answer == "cello"
    assert [fact.object for fact in asked.facts] == ["cello"]
    assert asked.output is not None
    assert asked.output.facts == tuple(fact.id for fact in asked.facts)


def test_a_memory_of_facts_alone_is_asked_too(server: RunningServer, memory_name: str) -> None:
    brain = Brain(answer=says("cello", "Ada Kern plays cello"))
    with ScriptedServer(brain) as model, opened(server, memory_name, model) as memory:
        memory.load_facts([{"subject": "Ada Kern", "predicate": "plays", "object": "cello"}])
        asked = memory.ask("Which instrument does Ada Kern play?")
        assert memory.check() == []
        memory.forget_all()
    assert (asked.answer, asked.chunks) == ("cello", ())
    assert asked.gate is not None
    assert asked.gate.passed


def test_facts_are_those_that_are_valid_at_the_time_asked(server: RunningServer, spouses: str) -> None:
    question = "Which instrument does Ada Kern play?"
    played = {"subject": "Ada Kern", "predicate": "plays"}
    brain = Brain(answer=lambda request: says(_played(request), "Ada Kern plays")(request))
    with ScriptedServer(brain) as model, opened(server, spouses, model) as memory:
        memory.load_facts([{**played, "object": "violin", "validTo": "2020"}])
        memory.load_facts([{**played, "object": "cello", "validFrom": "2021"}])
        now = memory.ask(question, store=False)
        then = memory.ask(question, as_of="2019-05-01", store=False)
    for asked, instrument in ((now, "cello"), (then, "violin")):
        assert (asked.answer, asked.against) == (instrument, ())
        assert [fact.object for fact in asked.facts] == [instrument]
        assert asked.gate is not None
        assert {score.name: score.value for score in asked.gate.scores}["grounding"] == 1


def _played(request: Request) -> str:
    return "violin" if "violin" in request.prompt else "cello"


def test_an_answer_is_judged_by_the_gate_and_the_goals_that_are_given(
    server: RunningServer, spouses: str
) -> None:
    goals = {"goals": [SPOUSE], "limits": [{"limit": "name nobody", "never": ["Leo Brandt"]}]}
    with ScriptedServer(knowing()) as model, opened(server, spouses, model) as memory:
        asked = memory.ask(SPOUSE, goals=goals, gate="paper")
        assert asked.episode is not None
        assert memory.episode(asked.episode).status == "rejected"
        calls = model.calls
        with pytest.raises(InputError, match="the goals cannot be used"):
            memory.ask(SPOUSE, goals={"goals": []})
        with pytest.raises(UsageError, match="no gate is called 'none'"):
            memory.ask(SPOUSE, gate="none")  # type: ignore[arg-type]
        assert model.calls == calls
    assert asked.answer == "Leo Brandt"
    assert asked.gate is not None
    assert (asked.gate.gate, asked.gate.passed) == ("paper", False)
    assert "name nobody" in " ".join(asked.gate.reasons)


def test_a_model_may_judge_what_is_learned_within_the_limits_of_the_answer(
    server: RunningServer, spouses: str
) -> None:
    direct = "Who performed the album Green?"

    def reply(request: Request) -> object:
        if "Score from 0 to 1" in request.prompt:
            return {"reason": "it is doubtful", "score": 0.2}
        return Brain(answer=says("Ada Kern", "performed"))(request)

    with ScriptedServer(reply) as model, opened(server, spouses, model) as memory:
        asked = memory.ask(direct, validators="model")
        assert model.calls == asked.spent.calls == 3 + 4
        limited = memory.ask(direct, validators="model", max_calls=4)
        assert model.calls == 7 + 4
        with pytest.raises(UsageError, match="validators"):
            memory.ask(direct, validators="none")  # type: ignore[arg-type]
        assert memory.check() == []
    assert asked.gate is not None
    assert "it is doubtful" in " ".join(asked.gate.reasons)
    assert (limited.answer, limited.limit) == ("Ada Kern", "")
    assert limited.gate is not None
    assert not limited.gate.passed
    assert "the limit of 4 calls" in " ".join(limited.gate.reasons)


def test_an_answer_is_given_though_nobody_may_write(server: RunningServer, spouses: str) -> None:
    with ScriptedServer(knowing()) as model, opened(server, spouses, model) as memory:
        with opened(server, spouses, model) as other:
            asked = other.ask(SPOUSE, store=False, learn=False)
        assert asked.answer == "Leo Brandt"
        assert memory.questions() == ()


def test_an_empty_memory_and_a_missing_model_are_said_before_any_call(
    server: RunningServer, memory_name: str, settings: Settings
) -> None:
    with ScriptedServer([]) as model, opened(server, memory_name, model) as memory:
        with pytest.raises(NothingRecalled, match="is empty"):
            memory.ask(SPOUSE)
        assert model.calls == 0
    with Memory.open(memory_name, settings=settings) as memory:
        with pytest.raises(ModelError, match="asking needs a model") as caught:
            memory.ask(SPOUSE)
        assert "bamboo recall" in caught.value.hint


def test_a_kept_answer_is_not_paid_for_twice(server: RunningServer, spouses: str, tmp_path: Path) -> None:
    flags = {"cache": str(tmp_path)}
    with ScriptedServer(knowing()) as model, opened(server, spouses, model, **flags) as memory:
        first = memory.ask(SPOUSE, cache=True, learn=False)
        calls = model.calls
        second = memory.ask(SPOUSE, cache=True, learn=False)
        assert model.calls == calls == first.spent.calls
    assert second.answer == first.answer
    assert (second.spent.calls, second.spent.cached) == (0, calls)


def test_a_langchain_model_answers_and_another_checks(server: RunningServer, spouses: str) -> None:
    from langchain_core.language_models import FakeListChatModel

    replies = ['{"steps": []}', '{"answer": "Ada Kern", "citations": ["1"]}']
    answering = FakeListChatModel(responses=replies)
    checking = FakeListChatModel(responses=['{"grounded": true, "consistent": true, "logical": true}'])
    with ScriptedServer([]) as model, opened(server, spouses, model) as memory:
        asked = memory.ask("Who performed the album Green?", model=answering, verifier=checking, learn=False)
        assert model.calls == 0
    assert (asked.answer, asked.map.root.verdict) == ("Ada Kern", "verified")
