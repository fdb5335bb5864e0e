"""docker-compose.yml, checked as YAML: it has to be right also where no engine is at hand to run it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bamboo_neo4j.cli.app import COMMANDS

FILE = Path(__file__).parents[2] / "docker-compose.yml"


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    compose = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    assert list(compose["services"]) == ["neo4j"]
    neo4j: dict[str, Any] = compose["services"]["neo4j"]
    return neo4j


def test_the_image_is_pinned_to_one_release_of_the_community_edition(service: dict[str, Any]) -> None:
    assert re.fullmatch(r"neo4j:5\.26\.\d+-community", service["image"])


def test_every_command_that_it_names_is_there() -> None:
    named = re.findall(r"(?:`|# +)bamboo (\w+)", FILE.read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(COMMANDS)


def test_the_image_is_the_release_that_the_managed_server_runs(service: dict[str, Any]) -> None:
    locks = [path.name for path in (FILE.parent / "bamboo_neo4j").rglob("neo4j-*.lock")]
    release = service["image"].removeprefix("neo4j:").removesuffix("-community")
    assert f"neo4j-{release}.lock" in locks


def test_there_is_no_default_password(service: dict[str, Any]) -> None:
    required = re.compile(r"(neo4j/)?\$\{NEO4J_PASSWORD:\?[^}]+\}")
    secrets = [value for key, value in service["environment"].items() if "AUTH" in key or "PASSWORD" in key]
    assert secrets
    assert all(required.fullmatch(value) for value in secrets)


def test_the_image_gets_no_variable_that_it_would_take_for_a_setting(
    service: dict[str, Any],
) -> None:
    # The image turns NEO4J_a_b__c into a.b_c and refuses to start on a setting it does not know.
    known = {"NEO4J_AUTH", "NEO4J_PLUGINS"}
    settings = [key for key in service["environment"] if key.startswith("NEO4J_") and key not in known]
    assert all(re.match(r"NEO4J_(server|dbms|db|client)_", key) for key in settings)


def test_nothing_listens_beyond_this_machine(service: dict[str, Any]) -> None:
    assert {port.rsplit(":", 1)[1] for port in service["ports"]} == {"7474", "7687"}
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_ready_means_that_a_query_was_answered(service: dict[str, Any]) -> None:
    health = service["healthcheck"]
    kind, command = health["test"]
    assert kind == "CMD-SHELL"
    assert "cypher-shell" in command
    assert "RETURN 1" in command
    # A literal $ of the container's shell is written twice, else compose would fill it in itself.
    assert "$$HEALTH_PASSWORD" in command
    assert int(health["start_period"].rstrip("s")) >= 60
    assert health["retries"] * int(health["interval"].rstrip("s")) >= 60


def test_data_outlives_the_container(service: dict[str, Any]) -> None:
    named = yaml.safe_load(FILE.read_text(encoding="utf-8"))["volumes"]
    assert [volume.split(":") for volume in service["volumes"]] == [["bamboo-data", "/data"]]
    assert "bamboo-data" in named


def test_memory_is_limited_and_apoc_core_is_there(service: dict[str, Any]) -> None:
    environment = service["environment"]
    assert environment["NEO4J_PLUGINS"] == '["apoc"]'
    assert environment["NEO4J_server_memory_heap_max__size"] == "1g"
    assert environment["NEO4J_server_memory_pagecache_size"] == "512m"
    assert environment["NEO4J_client_allow__telemetry"] == "false"
    assert environment["NEO4J_dbms_usage__report_enabled"] == "false"


def test_no_browser_page_from_elsewhere_may_call_the_database(service: dict[str, Any]) -> None:
    origin = service["environment"]["NEO4J_dbms_security_http__access__control__allow__origin"]
    assert origin == "http://127.0.0.1:7474"
