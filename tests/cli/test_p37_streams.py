"""The command line in a pipeline: closed pipes, standard input, narrow encodings, real characters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scripted import ScriptedServer

if TYPE_CHECKING:
    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

CHECKOUT = Path(__file__).parents[2]
KOREAN = "● 한국어 is written in Hangul. Sejong Kang made ● signs in Busan for Sejong Kang."


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    """The environment of a process that works on this test's memory, for tests that need its raw streams."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))}
    ours = {
        "NEO4J_URI": settings["uri"],
        "NEO4J_USERNAME": settings["username"],
        "NEO4J_PASSWORD": settings["password"],
        "BAMBOO_MEMORY": settings.memory,
        "PYTHONPATH": str(CHECKOUT),
    }
    return kept | ours


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "bamboo_neo4j", *arguments]


@pytest.fixture
def many_tags(bamboo: Bamboo, tmp_path: Path) -> None:
    """A memory whose list of tags is longer than a pipe holds."""
    names = [
        f"{first}{last}"
        for first in ("Bo", "Ta", "Ne", "Ru", "Ki", "Lo")
        for last in ("ran", "vik", "sel", "dom")
    ]
    lines = [
        json.dumps(
            {"id": f"p{one}{two}", "title": f"{one} {two}", "text": f"{one} {two} met {two} {one}x today."}
        )
        for one in names
        for two in names
    ]
    passages = tmp_path / "passages.jsonl"
    passages.write_text("\n".join(lines), encoding="utf-8")
    assert bamboo("ingest", str(passages)).returncode == 0


@pytest.mark.usefixtures("many_tags")
def test_p37_a_reader_that_has_had_enough_ends_a_listing_without_a_traceback(
    environment: dict[str, str],
) -> None:
    with subprocess.Popen(
        command("tags", "--json"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().strip() == b"["
        process.stdout.close()
        errors = process.stderr.read().decode()
        assert process.wait(timeout=60) in {0, 141}
    assert not errors


def test_p37_a_pipe_is_read_once_and_is_one_document_however_often_it_comes(bamboo: Bamboo) -> None:
    text = "Ada Kern painted the Blue Gate in Lorn. The Blue Gate was Ada Kern's first work."
    first = json.loads(bamboo("ingest", "-", "--json", input=text).stdout)
    again = json.loads(bamboo("ingest", "-", "--json", input=text).stdout)
    assert (first["added"], again["added"], again["unchanged"]) == (1, 0, 1)
    assert len(json.loads(bamboo("documents", "--json").stdout)) == 1


def test_p37_the_document_of_a_pipe_has_the_id_that_it_is_given(bamboo: Bamboo) -> None:
    assert bamboo("ingest", "-", "--id", "letter", input="Ada Kern wrote to Bo Lind.").returncode == 0
    assert [row["id"] for row in json.loads(bamboo("documents", "--json").stdout)] == ["letter"]


def test_p37_a_dash_is_standard_input_and_never_a_file_of_that_name(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "-").write_text("Wrong File was read instead.", encoding="utf-8")
    done = subprocess.run(
        command("ingest", "-"),
        cwd=tmp_path,
        env=environment,
        input=b"Ada Kern wrote to Bo Lind.",
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(command("tags"), env=environment, capture_output=True, check=True, timeout=120)
    assert b"ada kern" in listed.stdout
    assert b"wrong file" not in listed.stdout


def test_p37_an_empty_pipe_says_that_there_is_no_text_and_does_not_hang(bamboo: Bamboo) -> None:
    done = bamboo("ingest", "-", input="", timeout=60)
    assert "no text" in done.stderr
    assert "Traceback" not in done.stderr


def test_p37_a_question_may_come_through_a_pipe(bamboo: Bamboo) -> None:
    bamboo("ingest", "-", input="Ada Kern painted the Blue Gate.")
    done = bamboo("recall", "-", "--json", input="Who painted the Blue Gate?\n")
    assert json.loads(done.stdout)["question"] == "Who painted the Blue Gate?"


@pytest.mark.parametrize(
    "arguments", [("recall", "한국어 ● Sejong Kang"), ("tags",), ("recall", "Sejong Kang", "--json")]
)
def test_p37_an_encoding_that_lacks_a_character_never_ends_a_command(
    arguments: tuple[str, ...], bamboo: Bamboo, environment: dict[str, str]
) -> None:
    assert bamboo("ingest", "-", input=KOREAN).returncode == 0
    done = subprocess.run(
        command(*arguments),
        env=environment | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert b"Sejong" in done.stdout or b"sejong" in done.stdout
    assert b"Traceback" not in done.stderr


def test_p37_json_has_real_characters_not_escapes(bamboo: Bamboo) -> None:
    bamboo("ingest", "-", input=KOREAN)
    done = bamboo("recall", "Sejong Kang", "--json")
    assert "한국어" in done.stdout
    assert "\\u" not in done.stdout


def test_p37_a_model_is_sent_real_characters(bamboo: Bamboo) -> None:
    with ScriptedServer(otherwise={"tags": ["한국어", "Sejong Kang"]}) as service:
        model = {"OPENAI_BASE_URL": service.url, "OPENAI_API_KEY": "none", "BAMBOO_MODEL": "scripted"}
        done = bamboo("ingest", "-", "--tagger", "llm", input=KOREAN, env=model)
        assert done.returncode == 0, done.stderr
        bodies = [request.raw for request in service.requests]
    assert bodies
    assert all("● 한국어".encode() in body and b"\\u" not in body for body in bodies)


def test_p37_what_is_not_data_goes_to_standard_error(bamboo: Bamboo) -> None:
    bamboo("ingest", "-", input="Ada Kern painted the Blue Gate.")
    done = bamboo("--trace", "recall", "Blue Gate", "--json")
    assert json.loads(done.stdout)["chunks"]
    assert "recall/" in done.stderr
