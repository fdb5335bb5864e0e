from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.records import Document
from tests.asked import abstained, made_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

TEXT = "The Green Lantern Mill was built by Orla Venn in 1871."


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(Document("mill", "", "Mill", TEXT, "text/plain"))
        yield opened
        opened.forget_all()


def test_questions_are_listed_and_shown_with_their_trees_and_pages(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    memory.store_question(made_up(memory.name, chunks=memory.recall("Green Lantern Mill").chunks))
    memory.store_question(abstained(memory.name))
    listed = bamboo("questions", "list").stdout.splitlines()
    assert listed[0].endswith("Who painted the moon?  → no answer: no evidence")
    assert listed[1].startswith("map1  2026-05-01T10:00  Where was the engineer")
    page = tmp_path / "page.html"
    shown = bamboo("questions", "show", "map1", "--html", str(page))
    assert shown.returncode == 0, shown.stderr
    assert "├── 1.1 Who built the Green Lantern Mill? → Orla Venn  [verified]" in shown.stdout
    assert f"Mill: {TEXT}" in shown.stdout
    assert "7 calls, 980 tokens, 12.5 s, model small, verifier other" in shown.stderr
    assert TEXT in page.read_text(encoding="utf-8")
    data = json.loads(bamboo("questions", "show", "map1", "--json").stdout)
    assert [each["verdict"] for each in data["map"]["questions"]] == ["verified", "verified", "unverified"]
    removed = bamboo("questions", "remove", "map1", "--yes", "--json")
    assert json.loads(removed.stdout)["questions"] == 1
    missing = bamboo("questions", "show", "map1")
    assert (missing.returncode, len(missing.stderr.splitlines())) == (7, 2)


def test_an_empty_memory_has_no_questions_and_says_how_to_get_one(bamboo: Bamboo) -> None:
    done = bamboo("questions", "list", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    assert "bamboo ask" in bamboo("questions", "list").stderr


def test_a_recall_is_written_as_a_page_beside_its_text_or_alone(
    memory: Memory, bamboo: Bamboo, tmp_path: Path
) -> None:
    del memory
    page = tmp_path / "page.html"
    done = bamboo("recall", "Who built the Green Lantern Mill?", "--html", str(page))
    assert "green lantern mill" in done.stdout.splitlines()[0]
    assert TEXT in page.read_text(encoding="utf-8")
    alone = bamboo("recall", "Who built the Green Lantern Mill?", "--html", "-")
    assert alone.stdout.startswith("<!doctype html>")
    assert alone.stdout.endswith("</html>\n")
