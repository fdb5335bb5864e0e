"""`Memory.ask` on a real memory, with models that reply by script over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.memory import Memory
from bamboo_neo4j.settings import read_settings
from tests.scripted import ScriptedServer
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.graph.server import RunningServer

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
