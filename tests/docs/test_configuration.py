"""docs/configuration.md names every setting, flag and extra, and none that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click

from bamboo_neo4j.cli.app import bamboo
from bamboo_neo4j.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
VARIABLE = r"\b(?:(?:BAMBOO|NEO4J|OPENAI)_[A-Z_]+|M2_REPO)\b"


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    source = (ROOT / "bamboo_neo4j" / "settings.py").read_text(encoding="utf-8")
    assert set(re.findall(rf'"({VARIABLE})"', source)) == set(re.findall(VARIABLE, PAGE))


def test_every_flag_before_the_command_that_sets_a_setting_is_documented() -> None:
    flags = {
        option.opts[0] for option in bamboo.params if isinstance(option, click.Option) and not option.is_flag
    }
    assert flags == {"--memory", "--uri", "--username", "--database"}
    assert all(f"`{flag}`" in PAGE for flag in flags)


def test_doctor_looks_for_every_extra_and_each_is_imported_somewhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*EXTRAS, "dev"} == set(project["optional-dependencies"])
    source = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "bamboo_neo4j").rglob("*.py"))
    for package in {package for packages in EXTRAS.values() for package in packages}:
        imported = rf"^ *(?:import|from) {package}\b|import_module\(\"{package}\"\)"
        assert re.search(imported, source, re.MULTILINE), package


def test_every_extra_is_documented() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = PAGE[PAGE.index("## Extras") :]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(project["optional-dependencies"])
