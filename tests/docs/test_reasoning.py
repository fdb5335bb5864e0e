"""What docs/reasoning.md shows of files and modules is what the program takes."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from bamboo_neo4j.learn.gate import ASKED, THRESHOLDS
from bamboo_neo4j.learn.goals import read_goals
from bamboo_neo4j.reason.modules import GROUP, ReasoningModule, checked
from bamboo_neo4j.reason.modules.rules import Rules
from bamboo_neo4j.reason.modules.sentiment import Sentiment
from bamboo_neo4j.reason.modules.table import Table
from bamboo_neo4j.records import Reasoned
from tests.told import WORDS, Told, fact

PAGE = (Path(__file__).parents[2] / "docs" / "reasoning.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {title}\n(.*?)(?=^#+ |\Z)", re.sub(r"\r", "", PAGE), re.DOTALL | re.MULTILINE)
    assert found, title
    return found[1]


def block(title: str, language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", section(title), re.DOTALL)
    assert found, title
    return found[1]


def test_the_rules_are_rules_and_hold() -> None:
    module = Rules.read(json.loads(block("Rules", "json")), words=WORDS)
    told = Told(
        fact("ApolloContract | has function | withdraw"),
        fact("withdraw | makes | external call"),
        fact("Main pool | liquidity | 900,000"),
    )
    said = module.reason("What is wrong?", told).conclusion
    assert said.startswith(
        "ApolloContract has a security risk: withdraw can be re-entered; Main pool has too"
    )


def test_the_table_is_a_table_and_has_trends(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(block("Tables", "text"))
    said = Table.read(path, words=WORDS).reason("the funds rate?", Told()).conclusion
    assert said == "fed funds rate is falling, from 5.25 (2024-01) to 4.75 (2024-03)"


def test_the_announcements_have_a_tone() -> None:
    module = Sentiment.read(json.loads(block("Announcements", "json")), words=WORDS)
    assert module.reason("ApolloContract?", Told()).stance == 1


def test_the_goals_are_goals() -> None:
    assert len(read_goals(json.loads(block("Goals and limits", "json"))).limits) == 3


def test_the_module_of_ones_own_is_a_module_and_its_group_is_ours() -> None:
    names: dict[str, Any] = {}
    exec(block("Modules of your own", "python"), names)  # noqa: S102 - our own page
    module = names["Owners"]()
    assert isinstance(module, ReasoningModule)
    told = Told(fact("Ada | owns | Works"))
    assert checked(module.reason("Who?", told), module="owners").conclusion == "Ada owns Works"
    assert f'"{GROUP}"' in block("Modules of your own", "toml")


def test_the_thresholds_and_what_each_gate_asks_for_are_those_of_the_program() -> None:
    for name, least in THRESHOLDS.items():
        assert f"| {name} | {least} |" in section("Validators")
    assert f"| `quality` (default) | {', '.join(ASKED['quality'])} |" in section("The gate")


def test_the_keys_of_the_json_are_the_fields_of_the_record() -> None:
    table = section("The report as JSON")
    keys = [key for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for key in row.split(", ")]
    assert [key.strip("`") for key in keys] == [field.name for field in fields(Reasoned)]
