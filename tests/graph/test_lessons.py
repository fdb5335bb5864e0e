"""What recall learns from validated answers, on a real memory."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DamagedGraph
from bamboo_neo4j.records import Document, ReasoningOutput
from tests.graph.learning import FAILED, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from bamboo_neo4j.records import Verdict

QUESTION = "Which lantern lights the harbour?"
LIKE = "Which lantern lights the harbour of salt?"
OTHER = "Who painted the ferries?"
TEXTS = {f"d{number}": f"lantern {number} lights the harbour of salt and slate" for number in range(8)}
TEXTS["painter"] = "Pell Weaver painted the ferries with a brush of slate."


@pytest.fixture(scope="module")
def memory(driver: Driver) -> Iterator[Memory]:
    with Memory.open("test-lessons", driver=driver) as opened:
        opened.forget_all()
        opened.remember(Document(name, "", "", text, "text/plain") for name, text in TEXTS.items())
        yield opened
        assert opened.check() == []
        opened.forget_all()


def documents(memory: Memory, question: str) -> list[str]:
    return [chunk.document for chunk in memory.recall(question, associations=False).chunks]


def validated(memory: Memory, verdict: Verdict = PASSED) -> tuple[str, str]:
    """Record that the last chunk that recall finds answers the question; return the episode and document."""
    found = memory.recall(QUESTION, associations=False).chunks
    last = next(chunk for chunk in reversed(found) if chunk.document != "painter")
    output = ReasoningOutput("by hand", "That one.", 0.9, chunks=(last.id,))
    return memory.learn(QUESTION, output, verdict, cited=[last]).id, last.document


def test_a_validated_answer_is_found_first_once_it_is_learned_until_it_is_undone(memory: Memory) -> None:
    before = {question: documents(memory, question) for question in (QUESTION, LIKE, OTHER)}
    episode, right = validated(memory)
    assert documents(memory, QUESTION) == before[QUESTION], "what waits has taught nothing yet"
    memory.maintain()
    assert documents(memory, QUESTION)[0] == right
    assert documents(memory, LIKE)[0] == right, "a question like it learns too"
    assert documents(memory, OTHER) == before[OTHER]
    memory.undo(episode)
    assert {question: documents(memory, question) for question in before} == before


def test_what_did_not_pass_the_gate_teaches_nothing(memory: Memory) -> None:
    before = documents(memory, QUESTION)
    validated(memory, FAILED)
    memory.maintain()
    assert documents(memory, QUESTION) == before


def test_a_chunk_that_is_recalled_often_and_never_validated_gains_nothing(memory: Memory) -> None:
    before = memory.recall(QUESTION, associations=False)
    for _ in range(50):
        memory.recall(QUESTION)
    memory.maintain()
    after = memory.recall(QUESTION, associations=False)
    assert [(chunk.id, chunk.score) for chunk in after.chunks] == [
        (chunk.id, chunk.score) for chunk in before.chunks
    ]


def test_a_recall_that_meets_what_another_program_is_changing_is_asked_again(
    memory: Memory, driver: Driver
) -> None:
    rename = "MATCH (t:Tag {memory: $m, key: $key}) SET t.name = $name"
    tag = next(iter(memory.tags("pell")))
    key = memory.normaliser.key(tag["name"])
    before = memory.recall("Who is Pell Weaver?").cues

    def restore() -> None:
        time.sleep(0.05)
        driver.execute_query(rename, m=memory.name, key=key, name=tag["name"])

    driver.execute_query(rename, m=memory.name, key=key, name=None)
    with pytest.raises(DamagedGraph):
        memory.recall("Who is Pell Weaver?")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(restore)
        assert memory.recall("Who is Pell Weaver?").cues == before
