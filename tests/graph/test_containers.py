"""The same memory on Neo4j's own image, where a Docker engine answers."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.settings import Settings

IMAGE = "neo4j:5.26-community"
ASK = "import docker; docker.from_env(timeout=5).ping()"


@pytest.fixture(scope="module")
def container() -> Iterator[dict[str, str]]:
    """The flags for a Neo4j in a container; skipped, with the reason, where no engine answers."""
    # Asked in a process of its own: the client leaves its socket open when nobody answers.
    asked = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip(f"no Docker engine answers: {asked.stderr.strip().splitlines()[-1]}")
    from testcontainers.community.neo4j import Neo4jContainer

    with Neo4jContainer(IMAGE, username="neo4j", password="bamboo-test") as neo4j:
        yield {
            "uri": neo4j.get_connection_url(),
            "username": neo4j.username,
            "password": neo4j.password,
            "memory": "container",
        }


@pytest.fixture(params=["managed", pytest.param("container", marks=pytest.mark.docker)])
def place(request: pytest.FixtureRequest) -> Settings:
    """Settings for each kind of server in turn."""
    if request.param == "managed":
        settings: Settings = request.getfixturevalue("settings")
        return settings
    return read_settings(request.getfixturevalue("container"), environ={})


@pytest.mark.graph
def test_a_memory_remembers_recalls_and_forgets_on_either_kind_of_server(place: Settings) -> None:
    text = "Ada Lovelace wrote notes on the Analytical Engine of Charles Babbage."
    with Memory.open(settings=place) as memory:
        assert memory.remember(text, id="ada").added == 1
        recalled = memory.recall("Who wrote notes on the Analytical Engine?")
        assert [chunk.document for chunk in recalled.chunks] == ["ada"]
        assert memory.check() == []
        assert memory.forget("ada") == 1
