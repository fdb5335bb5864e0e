"""Questions that were asked, as they are kept in the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NotFound
from bamboo_neo4j.models.chat import open_chat
from bamboo_neo4j.records import Document, RecalledChunk
from bamboo_neo4j.settings import read_settings
from tests.asked import abstained, made_up
from tests.scripted import ScriptedServer
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.settings import Settings

MILL = Document("mill", "", "Mill", "The Green Lantern Mill was built by Orla Venn in 1871.", "text/plain")
VENN = Document("venn", "", "Orla Venn", "Orla Venn was an engineer born in Port Ashby.", "text/plain")


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember([MILL, VENN])
        yield opened
        opened.forget_all()


@pytest.fixture
def asked(memory: Memory, driver: Driver) -> Asked:
    """A question that rests on both documents, stored."""
    rows = driver.execute_query(
        "MATCH (c:Chunk {memory: $m})-[:FROM_DOCUMENT]->(d) RETURN c, d ORDER BY d.id", m=memory.name
    ).records
    chunks = tuple(
        RecalledChunk(
            row["c"]["id"],
            row["d"]["id"],
            row["d"]["title"],
            row["c"]["ordinal"],
            row["c"]["text"],
            row["c"]["tokens"],
            0.0,
        )
        for row in rows
    )
    made = made_up(memory.name, chunks=chunks)
    memory.store_question(made)
    return made


def test_a_stored_question_is_read_as_it_was_asked(memory: Memory, asked: Asked) -> None:
    found = memory.question_map(asked.map.id)
    bare = [replace(each, evidence=()) for each in asked.map.questions]
    assert [replace(each, evidence=()) for each in found.map.questions] == bare
    assert [each.chunks for each in found.map.questions] == [each.chunks for each in asked.map.questions]
    assert [one.text for one in found.map.questions[1].evidence] == [
        "Orla Venn - trade - engineer",
        MILL.text,
    ]
    assert replace(found, map=asked.map) == asked
    assert memory.check() == []


def test_asking_keeps_the_question_with_what_its_answers_rest_on(memory: Memory) -> None:
    where = "Where was the builder of the Green Lantern Mill born?"
    brain = Brain(
        plans={where: ["Who built the Green Lantern Mill?", "Where was #1 born?"]},
        answers={
            "Who built the Green Lantern Mill?": says("Orla Venn", "built by Orla Venn"),
            "Where was Orla Venn born?": says("Port Ashby", "born in Port Ashby"),
            where: says("Port Ashby", "Answer: Port Ashby"),
        },
    )
    with ScriptedServer(brain) as server:
        flags = {"model_url": server.url, "model": "scripted", "model_retries": "0"}
        model = open_chat(read_settings(flags, environ={}))
        asked = memory.ask(where, model=model)
        unkept = memory.ask("Who built the Green Lantern Mill?", model=model, store=False, learn=False)
    found = memory.question_map(asked.map.id)
    assert [each.id for each in memory.questions()] == [asked.map.id]
    assert unkept.answer == "Orla Venn"
    for kept, was in zip(found.map.questions, asked.map.questions, strict=True):
        assert sorted(kept.chunks) == sorted(was.chunks)
        assert replace(kept, evidence=(), against=()) == replace(was, evidence=(), against=())
    assert found.answer == "Port Ashby"
    assert len(found.chunks) == 2, "the root rests on what its parts rest on"
    assert found.spent == asked.spent
    assert found.keys == asked.keys
    assert memory.check() == []


def test_storing_a_question_again_changes_nothing(memory: Memory, asked: Asked) -> None:
    before = memory.question_map(asked.map.id)
    memory.store_question(asked)
    assert memory.question_map(asked.map.id) == before
    assert [each.questions for each in memory.questions()] == [3]
    smaller = replace(asked, map=replace(asked.map, questions=asked.map.questions[:1]))
    memory.store_question(smaller)
    assert [each.questions for each in memory.questions()] == [1], "what the map no longer has is gone"
    assert memory.check() == []


def test_questions_are_listed_the_latest_first(memory: Memory, asked: Asked) -> None:
    memory.store_question(abstained(memory.name))
    first, second = memory.questions()
    assert (first.question, first.abstained, first.reason) == ("Who painted the moon?", True, "no evidence")
    assert (second.id, second.answer, second.questions) == (asked.map.id, "Port Ashby", 3)
    assert second.created_at == "2026-05-01T10:00:00Z"
    assert len(memory.questions(limit=1)) == 1


@pytest.mark.parametrize("name", ["map1", "map1q", "nothing", "ma", "", "map%", "map"])
def test_a_question_is_found_by_its_id_or_a_unique_beginning(memory: Memory, asked: Asked, name: str) -> None:
    memory.store_question(abstained(memory.name, name="map12"))
    if name == "map1":
        assert memory.question_map(name) == memory.question_map(asked.map.id)
        assert memory.question_map(f"{memory.name}:map12").abstained
        return
    with pytest.raises(NotFound, match="is stored under"):
        memory.question_map(name)


def test_a_removed_question_leaves_the_others_and_the_chunks(memory: Memory, asked: Asked) -> None:
    memory.store_question(abstained(memory.name))
    with pytest.raises(NotFound):
        memory.remove_questions("map1", "nothing")
    assert len(memory.questions()) == 2, "nothing was removed"
    assert memory.remove_questions("map1", asked.map.id) == 1
    assert [each.id for each in memory.questions()] == [f"{memory.name}:map2"]
    assert memory.stats()["chunks"] == 2
    assert memory.check() == []
    assert memory.remove_questions() == 0


def test_an_id_that_begins_several_questions_is_refused(memory: Memory, asked: Asked) -> None:
    del asked
    memory.store_question(abstained(memory.name, name="map3"))
    memory.store_question(abstained(memory.name, name="map34"))
    memory.store_question(abstained(memory.name, name="mapq5"))
    assert memory.question_map("mapq").map.id.endswith(":mapq5")
    memory.store_question(abstained(memory.name, name="mapq6"))
    with pytest.raises(NotFound, match="several questions begin with 'mapq'"):
        memory.question_map("mapq")


def test_forgetting_a_document_takes_its_evidence_and_its_words_from_stored_questions(
    memory: Memory, asked: Asked
) -> None:
    memory.forget("venn")
    found = memory.question_map(asked.map.id)
    assert [each.answer for each in found.map.questions] == ["Port Ashby", "Orla Venn", "Port Ashby"]
    assert [len(each.chunks) for each in found.map.questions] == [1, 1, 0]
    assert not [one for each in found.map.questions for one in each.evidence if "engineer born" in one.text]
    assert memory.check() == []


def test_a_memory_and_its_questions_are_forgotten_together(
    memory: Memory, asked: Asked, driver: Driver
) -> None:
    memory.forget_all()
    left = "MATCH (n:Question|MindMap) WHERE n.id STARTS WITH $m + ':' RETURN count(n) AS left"
    assert driver.execute_query(left, m=memory.name).records[0]["left"] == 0
    with pytest.raises(NotFound, match="there is no memory"):
        memory.store_question(asked)


def test_questions_go_with_an_export(
    memory: Memory, asked: Asked, settings: Settings, tmp_path: Path
) -> None:
    memory.export(tmp_path / "all.jsonl")
    with Memory.open(f"{memory.name}-b", settings=settings) as other:
        try:
            other.load(tmp_path / "all.jsonl")
            found = other.question_map("map1")
            assert other.check() == []
        finally:
            other.forget_all()
    theirs, ours = found.map.questions, memory.question_map(asked.map.id).map.questions
    for there, here in zip(theirs, ours, strict=True):
        assert [one.text for one in there.evidence] == [one.text for one in here.evidence]
        assert replace(there, id="", parent=None, evidence=()) == replace(
            here, id="", parent=None, evidence=()
        )
    assert found.spent == asked.spent
    assert found.episode == f"{memory.name}-b:e1"


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("MATCH (:MindMap {id: $m + ':map1'})-[r:HAS_ROOT]->() DELETE r", "one root"),
        ("MATCH (:Question {id: $m + ':map1q1'})-[r {order: 2}]->() DELETE r", "a place in one mind map"),
        (
            """MATCH (a:Question {id: $m + ':map1q2'}), (b:Question {id: $m + ':map1q3'})
            CREATE (a)-[:DECOMPOSED_INTO]->(b)""",
            "a place in one mind map",
        ),
        (
            "MATCH (q:Question {id: $m + ':map1q2'}) CREATE (q)-[:SUPPORTED_BY]->(:Chunk {id: $m + '-:x'})",
            "evidence in chunks of its memory",
        ),
    ],
)
def test_check_names_a_question_out_of_place_and_repair_takes_it_out(
    memory: Memory, asked: Asked, driver: Driver, damage: str, expected: str
) -> None:
    del asked
    driver.execute_query(damage, m=memory.name)
    faults = memory.check()
    assert {fault.invariant for fault in faults} == {"question"}
    assert any(expected in fault.expected for fault in faults)
    assert memory.repair() > 0
    driver.execute_query("MATCH (c:Chunk {id: $m + '-:x'}) DETACH DELETE c", m=memory.name)
    assert memory.check() == []
