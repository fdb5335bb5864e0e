"""`bamboo demo`: what a newcomer sees first."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.cli.demo import ASKED, MEMORY, next_steps, sample_documents, sample_questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from tests.plugin import Bamboo


@pytest.fixture
def sample(driver: Driver) -> Iterator[Memory]:
    """The demo's memory, memorised in this process as the command does it."""
    with Memory.open(MEMORY, driver=driver) as memory:
        memory.remember(sample_documents())
        yield memory


def test_the_sample_is_small_and_whole() -> None:
    documents = list(sample_documents())
    assert 8 <= len(documents) <= 12
    assert len({each.id for each in documents}) == len(documents)
    assert all(each.title and each.text and not each.title.startswith("#") for each in documents)
    assert 4 <= len(sample_questions()) <= 6


def test_the_demo_shows_chunks_with_the_edges_that_led_to_them_and_where_to_go_on(bamboo: Bamboo) -> None:
    done = bamboo("demo")
    assert done.returncode == 0, done.stderr
    for each in sample_questions()[:ASKED]:
        assert each["question"] in done.stdout
        assert f"* needed to answer: {each['answer']}" in done.stdout
    assert done.stdout.count("via ") >= ASKED
    assert done.stdout.count("  *\n") == 2 * ASKED
    assert "bamboo browser" in done.stdout


def test_the_demo_may_be_run_again_and_gives_a_program_all_of_it(bamboo: Bamboo, sample: Memory) -> None:
    before = sample.stats()
    again = bamboo("demo", "--json")
    assert "0 documents memorised, 12 known already" in again.stderr
    assert sample.stats() == before
    assert not sample.check()
    shown = json.loads(again.stdout)
    assert shown["stats"]["documents"] == 12
    assert [each["expected"] for each in shown["questions"]] == sample_questions()[:ASKED]
    assert all(each["recall"]["chunks"] for each in shown["questions"])


def test_the_demo_leaves_other_memories_alone(bamboo: Bamboo, driver: Driver, memory_name: str) -> None:
    with Memory.open(memory_name, driver=driver) as other:
        other.remember("Ada Kern painted the Blue Gate.")
        before = other.stats()
        bamboo("demo")
        assert other.stats() == before


@pytest.mark.usefixtures("sample")
def test_the_commands_that_the_demo_names_work(bamboo: Bamboo) -> None:
    commands = [
        shlex.split(line)[1:] for line in next_steps() if "FOLDER" not in line and "browser" not in line
    ]
    assert len(commands) >= 3
    for command in commands:
        done = bamboo(*command)
        assert done.returncode == 0, done.stderr
        assert done.stdout


@pytest.mark.parametrize("asked", sample_questions(), ids=lambda asked: str(asked["answer"]))
def test_both_documents_that_a_question_needs_are_recalled_first(
    asked: dict[str, object], sample: Memory
) -> None:
    found = sample.recall(str(asked["question"]), limit=2)
    recalled = {chunk.document.removeprefix("sample/") for chunk in found.chunks}
    assert set(asked["documents"]) == recalled  # type: ignore[call-overload]
