"""What users may import, by name and signature: a change here is a change of the product."""

from __future__ import annotations

import dataclasses
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import bamboo_neo4j
from bamboo_neo4j import Memory, records

PUBLIC = ["Association", "BambooError", "Cue", "Memory", "Recall", "RecalledChunk", "Remembered", "Via"]

# The keys of `recall --json`, which are the fields of the records, which are public.
FIELDS = {
    "Recall": [
        "question",
        "memory",
        "ranking",
        "cues",
        "unknown",
        "associations",
        "chunks",
        "tokens",
        "truncated",
        "statements",
        "milliseconds",
    ],
    "Association": ["cue", "tag", "through", "degree", "weight", "strength", "rank", "score"],
    "RecalledChunk": ["id", "document", "title", "ordinal", "text", "tokens", "score", "via"],
    "Via": ["source", "target", "degree", "weight", "strength"],
}


def test_the_package_names_what_users_touch_and_nothing_else() -> None:
    assert sorted(bamboo_neo4j.__all__) == PUBLIC
    assert set(PUBLIC) <= set(dir(bamboo_neo4j))


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(bamboo_neo4j, name))


def test_a_name_that_is_not_there_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Memroy"):
        _ = bamboo_neo4j.Memroy


@pytest.mark.parametrize("name", FIELDS)
def test_records_have_the_fields_of_the_json(name: str) -> None:
    kind = getattr(records, name)
    assert [field.name for field in dataclasses.fields(kind)] == FIELDS[name]


def test_records_are_frozen_and_slotted() -> None:
    kinds = [kind for _, kind in inspect.getmembers(records, dataclasses.is_dataclass)]
    assert kinds
    for kind in kinds:
        assert isinstance(kind, type)
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert "__slots__" in vars(kind)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("open", ["memory", "uri", "auth", "database"]),
        ("remember", []),
        ("recall", ["question", "limit", "tokens", "first", "second", "ranking"]),
        ("neighbours", []),
        ("stats", []),
        ("check", []),
        ("close", []),
        ("__enter__", []),
        ("__exit__", []),
    ],
)
def test_memory_has_the_promised_methods(method: str, parameters: list[str]) -> None:
    function = getattr(Memory, method)
    assert set(parameters) <= set(inspect.signature(function).parameters)
    if not method.startswith("__"):
        assert inspect.getdoc(function)


def test_the_version_is_one_and_the_same_everywhere() -> None:
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == bamboo_neo4j.__version__
    assert f"## [{bamboo_neo4j.__version__}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_version_is_that_of_the_installed_package() -> None:
    try:
        installed = version("bamboo-neo4j")
    except ModuleNotFoundError:
        pytest.skip("bamboo-neo4j is not installed here; the tests run from the checkout")
    assert installed == bamboo_neo4j.__version__
