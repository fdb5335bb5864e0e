"""`bamboo ask` as a process, on a real server, with a model that replies by script."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.scripted import ScriptedServer, Status
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.plugin import Bamboo

QUESTION = "Who performed the album Green?"
ALBUM = "Ada Kern performed the album Green.\x1b[2J"
GUESS = {"answer": "Paris", "citations": ["1"]}


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with ScriptedServer(Brain(answer=says("Ada Kern", "performed"))) as server:
        yield server


def env(server: ScriptedServer, **more: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-TESTKEY", "BAMBOO_MODEL": "m", **more}


def test_ask_from_the_shell(bamboo: Bamboo, model: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "album.txt").write_text(ALBUM, encoding="utf-8")
    assert bamboo("ingest", str(tmp_path)).returncode == 0

    done = bamboo("ask", QUESTION, env=env(model))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "Ada Kern")
    assert "[1] " in done.stdout
    assert "\x1b" not in done.stdout
    assert "3 calls" in done.stderr
    assert "sk-TESTKEY" not in done.stdout + done.stderr

    (tmp_path / "goals.json").write_text('{"goals": ["say who performed what"]}', encoding="utf-8")
    judged = ("--goals", str(tmp_path / "goals.json"), "--gate", "paper", "--as-of", "2026-01-31")
    found = bamboo("ask", "-", "--json", "--no-store", *judged, input=QUESTION, env=env(model))
    data = json.loads(found.stdout)
    assert data["gate"]["gate"] == "paper"
    assert data["episode"]
    assert (data["answer"], data["abstained"], data["limit"]) == ("Ada Kern", False, "")
    assert data["map"]["questions"][0]["verdict"] == "verified"
    assert data["spent"]["retrievals"] == 1

    calls = model.calls
    plan = bamboo("ask", QUESTION, "--plan", env=env(model))
    assert (plan.returncode, model.calls - calls) == (0, 1)
    assert QUESTION in plan.stdout


def test_exit_codes_tell_an_abstention_from_a_limit_and_from_a_failing_model(
    bamboo: Bamboo, model: ScriptedServer, tmp_path: Path
) -> None:
    (tmp_path / "album.txt").write_text(ALBUM, encoding="utf-8")
    assert bamboo("ingest", str(tmp_path)).returncode == 0

    with ScriptedServer(Brain(answer=GUESS)) as guessing:
        unknown = bamboo("ask", "Where was the album Green performed?", "--json", env=env(guessing))
    assert unknown.returncode == 3
    assert json.loads(unknown.stdout)["answer"] == "I don't know"
    assert "Paris" in json.loads(unknown.stdout)["reason"]

    limited = bamboo("ask", QUESTION, "--max-calls", "1", env=env(model))
    assert (limited.returncode, limited.stdout.splitlines()[0]) == (5, "I don't know")
    assert "the limit of 1 calls" in limited.stderr

    with ScriptedServer(lambda _: Status(500, "", {"retry-after-ms": "1"})) as failing:
        failed = bamboo("ask", QUESTION, env=env(failing))
    assert (failed.returncode, failed.stdout) == (6, "")
    assert len(failed.stderr.splitlines()) <= 2

    without = bamboo("ask", QUESTION, env={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""})
    assert without.returncode == 6
    assert "bamboo recall" in without.stderr
