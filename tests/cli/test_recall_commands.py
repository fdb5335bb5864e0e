"""The commands that ask a memory: recall, neighbours, tags, documents, stats, check, doctor, browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

DOCUMENTS = (
    Document(
        "green", "", "Green (album)", "Ada Kern performed the album Green in Port Linnet.", "text/plain"
    ),
    Document("wedding", "", "", "Ada Kern is married to Leo Brandt, a builder of lighthouses.", "text/plain"),
    Document("light", "", "", "Leo Brandt built the lighthouse of Port Linnet in 1931.", "text/plain"),
)


@pytest.fixture
def filled(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as memory:
        memory.remember(DOCUMENTS)
        yield memory
        assert memory.check() == []
        memory.forget_all()


def test_recall_json_has_the_documented_fields(filled: Memory, bamboo: Bamboo) -> None:
    run = bamboo("recall", "Who is married to the performer of Green?", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert set(found) == {
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
    }
    assert found["memory"] == filled.name
    assert all(set(cue) in ({"tag", "text"}, {"word", "text"}) for cue in found["cues"])
    assert {chunk["document"] for chunk in found["chunks"][:2]} == {"green", "wedding"}
    assert set(found["chunks"][0]) == {
        "id",
        "document",
        "title",
        "ordinal",
        "text",
        "tokens",
        "score",
        "via",
    }
    vias = [via for chunk in found["chunks"] for via in chunk["via"]]
    assert all(set(via) == {"source", "target", "degree", "weight", "strength"} for via in vias)
    assert found["tokens"] == sum(chunk["tokens"] for chunk in found["chunks"])


@pytest.mark.usefixtures("filled")
def test_the_same_question_on_the_same_graph_gives_the_same_order(bamboo: Bamboo) -> None:
    answers = [json.loads(bamboo("recall", "Port Linnet lighthouse", "--json").stdout) for _ in range(2)]
    for answer in answers:
        del answer["milliseconds"]
    assert answers[0] == answers[1]


@pytest.mark.usefixtures("filled")
def test_what_was_never_learned_is_said_with_exit_code_3(bamboo: Bamboo) -> None:
    run = bamboo("recall", "Zyzzyva quux?")
    assert (run.returncode, run.stdout) == (3, "")
    assert "has not learned" in run.stderr
    assert "Zyzzyva" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.usefixtures("filled")
def test_a_known_and_an_unknown_term_are_answered_from_the_known_one(bamboo: Bamboo) -> None:
    found = json.loads(bamboo("recall", "Leo Brandt and Zyzzyva", "--json").stdout)
    assert found["unknown"] == ["Zyzzyva"]
    assert {chunk["document"] for chunk in found["chunks"]} >= {"wedding", "light"}


@pytest.mark.usefixtures("filled")
def test_a_question_of_only_stop_words_says_so(bamboo: Bamboo) -> None:
    run = bamboo("recall", "who is it and what of the?")
    assert run.returncode == 3
    assert len(run.stderr.strip().splitlines()) <= 2


@pytest.mark.usefixtures("filled")
def test_the_context_fits_the_token_budget_and_says_what_was_cut(bamboo: Bamboo) -> None:
    found = json.loads(bamboo("recall", "Leo Brandt in Port Linnet", "--tokens", "20", "--json").stdout)
    assert 0 < found["tokens"] <= 20
    assert found["truncated"]


def test_explain_prints_a_statement_that_runs_and_draws_the_paths(
    filled: Memory, bamboo: Bamboo, settings: Settings
) -> None:
    run = bamboo("recall", "Who is married to the performer of Green?", "--json", "--explain")
    found = json.loads(run.stdout)
    from neo4j import GraphDatabase

    with GraphDatabase.driver(settings["uri"], auth=None) as driver:
        rows = driver.execute_query(found["explain"]).records
    assert rows
    assert filled.name in found["explain"]


@pytest.mark.usefixtures("filled")
def test_neighbours_are_given_for_any_spelling_of_a_tag(bamboo: Bamboo) -> None:
    found = json.loads(bamboo("neighbours", "PORT LINNET", "--json").stdout)
    assert {"ada kern", "leo brandt"} <= {association["tag"] for association in found}
    assert all(association["degree"] == 1 for association in found)


@pytest.mark.usefixtures("filled")
def test_an_unknown_tag_is_not_found(bamboo: Bamboo) -> None:
    run = bamboo("neighbours", "zyzzyva")
    assert run.returncode == 7
    assert "zyzzyva" in run.stderr


@pytest.mark.usefixtures("filled")
def test_lists_are_valid_json_and_columns(bamboo: Bamboo) -> None:
    documents = json.loads(bamboo("documents", "--json").stdout)
    assert [row["id"] for row in documents] == ["green", "light", "wedding"]
    assert documents[0]["ingested_at"].endswith("+00:00")
    assert "port linnet" in [row["name"] for row in json.loads(bamboo("tags", "--json").stdout)]
    assert bamboo("tags", "port", "--limit", "1").stdout.splitlines()[1].startswith("port linnet")
    assert json.loads(bamboo("stats", "--json").stdout)["chunks"] == 3


def test_check_is_clean_and_says_where_a_weight_is_wrong(
    filled: Memory, bamboo: Bamboo, settings: Settings
) -> None:
    assert bamboo("check").returncode == 0
    from neo4j import GraphDatabase

    change = """MATCH (:Tag {memory: $m, key: 'ada kern'})-[r:CO_OCCURS]-(:Tag {key: 'port linnet'})
        SET r.weight = r.weight + $n"""
    with GraphDatabase.driver(settings["uri"], auth=None) as driver:
        driver.execute_query(change, m=filled.name, n=1)
        run = bamboo("check", "--json")
        driver.execute_query(change, m=filled.name, n=-1)
    report = json.loads(run.stdout)
    assert run.returncode == 1
    assert not report["clean"]
    assert [fault["invariant"] for fault in report["faults"]] == ["weight"]
    assert "ada kern" in report["faults"][0]["where"]


def test_p39_reading_an_empty_memory_says_that_it_is_empty(bamboo: Bamboo) -> None:
    for command in (["tags"], ["documents"], ["stats"], ["check"]):
        run = bamboo(*command)
        assert run.returncode == 0, run.stderr
    for command in (["recall", "anything"], ["neighbours", "anything"]):
        run = bamboo(*command)
        assert (run.returncode, run.stdout) == (3, "")
        assert "empty" in run.stderr


def test_doctor_says_where_each_setting_came_from_and_no_secret(bamboo: Bamboo) -> None:
    run = bamboo("doctor", "--json", env={"OPENAI_API_KEY": "sk-TESTKEY"})
    report = json.loads(run.stdout)
    sources = {setting["name"]: setting["source"] for setting in report["settings"]}
    assert sources["uri"] == "NEO4J_URI"
    assert sources["language"] == "default"
    assert report["neo4j"]["answers"]
    assert "sk-TESTKEY" not in run.stdout + run.stderr


def test_browser_prints_an_address_with_server_filled_in(bamboo: Bamboo, settings: Settings) -> None:
    run = bamboo("browser", "--json")
    assert settings["uri"] in json.loads(run.stdout)["url"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["recall"], 2),
        (["nonsense"], 2),
        (["--memory", "Not A Name", "stats"], 2),
        (["forget", "nothing.txt", "--yes"], 7),
        (["forget", "--yes"], 2),
    ],
)
def test_wrong_arguments_give_the_documented_exit_code(
    bamboo: Bamboo, arguments: list[str], code: int
) -> None:
    run = bamboo(*arguments)
    assert run.returncode == code, run.stderr
    assert run.stdout == ""
    assert "Traceback" not in run.stderr


def test_the_largest_file_is_a_setting(bamboo: Bamboo, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Ada Kern painted the Blue Gate in Port Ashby.", encoding="utf-8")
    for extra in ([], ["--dry-run"]):
        done = bamboo("ingest", str(file), *extra, "--json", env={"BAMBOO_MAX_BYTES": "10"})
        assert "larger than the limit of 10 bytes" in done.stdout
        assert "raise BAMBOO_MAX_BYTES" in done.stdout
    assert bamboo("ingest", str(file)).returncode == 0
