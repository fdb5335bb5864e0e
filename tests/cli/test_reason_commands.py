"""`bamboo reason` as one runs it: the report, the JSON, the exit codes, and a module of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from tests.scripted import Completion, ScriptedServer, Status

if TYPE_CHECKING:
    from neo4j import Driver

    from tests.plugin import Bamboo

EXAMPLE = Path(__file__).parents[2] / "examples" / "modules" / "sources"
FACTS = """subject,predicate,object,confidence,source
ApolloContract,has function,withdraw,0.9,audit
ApolloContract,has function,withdraw,0.7,press
withdraw,makes,external call,0.8,audit
"""
RULES = {
    "description": "security audit of contracts",
    "rules": [
        {
            "name": "re-entrancy",
            "if": [["?contract", "has function", "?f"], ["?f", "makes", "external call"]],
            "then": "{contract} has a security risk: {f} can be re-entered",
        }
    ],
}
QUESTION = "Has ApolloContract a security risk?"


@pytest.fixture
def rules(driver: Driver, memory_name: str, tmp_path: Path) -> str:
    """A rules file, over facts that the memory of `bamboo` holds."""
    facts = tmp_path / "facts.csv"
    facts.write_text(FACTS)
    with Memory.open(memory_name, driver=driver) as memory:
        memory.load_facts(facts)
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(RULES))
    return str(path)


def test_the_report_says_what_is_concluded_from_which_facts_and_why_the_gate_is_open(
    bamboo: Bamboo, rules: str
) -> None:
    done = bamboo("reason", QUESTION, "--rules", rules)
    assert done.returncode == 0, done.stderr
    for part in (
        "ApolloContract has a security risk: withdraw can be re-entered",
        "ApolloContract has function withdraw  (strength 0.90, from audit)",
        "3 of 3 claims are in the graph",
        "gate quality: open",
        "recorded as validated",
    ):
        assert part in done.stdout
    assert not done.stderr


def test_json_has_everything_and_goals_and_gate_are_taken(bamboo: Bamboo, rules: str, tmp_path: Path) -> None:
    goals = tmp_path / "goals.json"
    goals.write_text('{"goals": ["security"], "limits": [{"limit": "calm", "never": ["risk"]}]}')
    options = ("--rules", rules, "--goals", str(goals), "--gate", "paper", "--no-learn", "--json")
    done = bamboo("reason", "-", *options, input=QUESTION)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["question"] == QUESTION
    assert found["verdict"]["gate"] == "paper"
    assert not found["verdict"]["passed"]
    assert "it breaks the limit 'calm': it says 'risk'" in found["verdict"]["reasons"][-1]
    assert found["episode"] is None
    assert {"modules", "conclusions", "silent", "disagreements", "answer", "facts", "as_of"} <= found.keys()


def test_nothing_to_conclude_is_3_an_unknown_module_2_and_an_unfit_file_1(
    bamboo: Bamboo, rules: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"rules": [{"name": "x", "if": [["?a", "eats", "?b"]], "then": "{a}"}]}))
    nothing = bamboo("reason", QUESTION, "--rules", str(other))
    assert nothing.returncode == 3
    assert "rules: none of the 1 rules holds" in nothing.stderr
    assert bamboo("reason", QUESTION, "--rules", rules, "--module", "oracle").returncode == 2
    other.write_text("{")
    unfit = bamboo("reason", QUESTION, "--rules", str(other))
    assert unfit.returncode == 1
    assert "other.json" in unfit.stderr
    assert "Traceback" not in nothing.stderr + unfit.stderr


def test_p20_a_model_that_fails_is_6_only_where_nothing_else_concludes(bamboo: Bamboo, rules: str) -> None:
    with ScriptedServer(lambda _: Status(500, "down")) as server:
        env = {"OPENAI_BASE_URL": server.url, "BAMBOO_MODEL": "scripted", "BAMBOO_MODEL_RETRIES": "0"}
        alone = bamboo("reason", QUESTION, "--module", "llm", env=env)
        beside = bamboo("reason", QUESTION, "--rules", rules, "--module", "llm", "--module", "rules", env=env)
    assert alone.returncode == 6
    assert beside.returncode == 0
    assert "llm: failed" in beside.stdout


def test_p23_what_a_model_writes_cannot_drive_the_terminal(bamboo: Bamboo, rules: str) -> None:
    assert rules
    reply = {"answerable": True, "conclusion": "\x1b[2Jred \u202etxt", "confidence": 0.5, "facts": ["F1"]}
    with ScriptedServer(lambda _: Completion(reply)) as server:
        env = {"OPENAI_BASE_URL": server.url, "BAMBOO_MODEL": "scripted"}
        done = bamboo("reason", QUESTION, "--module", "llm", "--no-learn", env=env)
    assert done.returncode == 0, done.stderr
    assert "red" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_a_module_of_ones_own_is_installed_and_found_by_its_entry_point(
    bamboo: Bamboo, rules: str, tmp_path: Path
) -> None:
    target = tmp_path / "site"
    install = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        str(target),
    ]
    source = tmp_path / "source"
    source.mkdir()
    for path in EXAMPLE.iterdir():
        if path.is_file():
            (source / path.name).write_bytes(path.read_bytes())
    subprocess.run([sys.executable, "-m", "pip", *install, str(source)], check=True, timeout=120)
    env = {"PYTHONPATH": f"{Path(__file__).parents[2]}:{target}"}
    question = "How many sources attest ApolloContract?"
    listed = bamboo("reason", question, "--rules", rules, "--json", env=env)
    assert [each["module"] for each in json.loads(listed.stdout)["modules"]] == ["sources", "rules"]
    own = bamboo("reason", question, "--module", "sources", env=env)
    assert own.returncode == 0, own.stderr
    assert "1 of 1 facts are stated by more than one source" in own.stdout
    assert "2 of 2 claims are in the graph" in own.stdout
