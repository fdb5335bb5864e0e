"""`--json` of every command that reads a memory: its keys are the fields of Python's records."""

from __future__ import annotations

import json
import shlex
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bamboo_neo4j import Memory, records
from bamboo_neo4j.cli.app import bamboo
from tests.graph.learning import PASSED
from tests.spelling import HUMP, keys, misspelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.graph.server.state import RunningServer

FACT = {"subject": "Ada Kern", "predicate": "knows", "object": "Leo Brandt", "validFrom": "2020"}
COMMANDS = (
    "browser",
    "check",
    "doctor",
    "documents",
    "episodes list",
    "facts list",
    "memories list",
    "neighbours 'Ada Kern'",
    "recall ada",
    "stats",
    "tags",
)


@pytest.fixture
def environ(server: RunningServer, memory_name: str) -> Iterator[dict[str, str]]:
    """A memory with a document, a fact and an episode."""
    with Memory.open(memory_name, uri=server.uri, auth=server.auth) as memory:
        memory.remember("Ada Kern met Leo Brandt at the mill.", id="a")
        memory.load_facts([FACT])
        (fact,) = memory.facts()
        memory.learn("Who?", records.ReasoningOutput("by hand", "so", 0.9, facts=(fact.id,)), PASSED)
        yield {
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            "BAMBOO_MEMORY": memory_name,
        }
        memory.forget_all()


def test_no_key_is_printed_as_the_graph_spells_it(environ: dict[str, str]) -> None:
    """The `bamboo` fixture of all other tests looks at what they print in the same way."""
    printed = {}
    for command in COMMANDS:
        done = CliRunner().invoke(
            bamboo, [*shlex.split(command), "--json"], env=environ, catch_exceptions=False
        )
        assert done.exit_code == 0, (command, done.output)
        printed[command] = list(keys(json.loads(done.stdout)))
        assert not misspelled(done.stdout), command
    assert "ingested_at" in printed["documents"]
    assert {"created_at"} <= set(printed["stats"]) & set(printed["memories list"])
    assert {"valid_from", "valid_to"} <= set(printed["facts list"])


def test_no_field_of_a_record_is_spelled_as_the_graph_does() -> None:
    known = [each for each in vars(records).values() if isinstance(each, type) and is_dataclass(each)]
    assert not [field.name for each in known for field in fields(each) if HUMP.search(field.name)]


def test_a_key_in_camel_case_is_seen_at_any_depth() -> None:
    assert misspelled('[{"a": [{"validTo": {"x_y": "inText"}}]}]') == ["validTo"]
    assert misspelled("no JSON") == []
