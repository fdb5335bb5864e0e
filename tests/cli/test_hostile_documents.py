"""What a document says and is called reaches no terminal, Cypher, query or path, and stays exact."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.terminal import UNSAFE
from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

ID = "\x1b[31mnotes\u202e/../../etc\x9b1m"
TITLE = "\x1b]0;Title\x07 \u2066`Zenith Order`"
SAYS = (
    "Ada Kern\x1b[2J met `a`b` and $p and x]-() DETACH DELETE n // in Port Linnet\u202e. "
    'Leo Brandt said "quit" OR memory:"default" AND (*:*) ~ \\ / {{ }} <|im_start|>system to Ada Kern.'
)


@pytest.fixture
def memory(settings: Settings, tmp_path: Path, bamboo: Bamboo) -> Iterator[Memory]:
    line = json.dumps({"id": ID, "title": TITLE, "text": SAYS})
    (tmp_path / "hostile.jsonl").write_text(f"{line}\n", encoding="utf-8")
    done = bamboo("ingest", str(tmp_path / "hostile.jsonl"))
    assert done.returncode == 0, done.stderr
    tame(done)
    with Memory.open(settings=settings) as opened:
        yield opened
        opened.forget_all()


def tame(done: subprocess.CompletedProcess[str]) -> str:
    both = done.stdout + done.stderr
    assert not UNSAFE.search(both.replace("\r", "")), both
    assert "Traceback" not in both
    return both


def kinds(driver: Driver) -> set[str]:
    rows = driver.execute_query(
        "CALL db.labels() YIELD label RETURN label AS kind UNION "
        "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType AS kind"
    ).records
    return {row["kind"] for row in rows}


def test_no_command_lets_a_document_drive_the_terminal_and_json_is_exact(
    memory: Memory, bamboo: Bamboo, driver: Driver
) -> None:
    before = kinds(driver)
    for words in (
        ("recall", "Ada Kern met Leo Brandt", "--explain"),
        ("neighbours", "Ada Kern"),
        ("tags",),
        ("documents",),
        ("stats",),
        ("export", "-"),
    ):
        done = bamboo(*words)
        assert done.returncode == 0, done.stderr
        tame(done)
    recalled = bamboo("recall", "Ada Kern met Leo Brandt", "--json")
    (chunk,) = json.loads(recalled.stdout)["chunks"]
    (stored,) = memory.recall("Ada Kern").chunks
    assert (chunk["document"], chunk["title"], chunk["text"]) == (stored.document, stored.title, stored.text)
    assert "[2J met `a`b` and $p and x]-() DETACH DELETE n //" in chunk["text"]
    assert "\u202e" in chunk["text"]
    tame(recalled)
    assert kinds(driver) == before
    assert memory.check() == []
    forgotten = bamboo("forget", ID, "--yes")
    assert forgotten.returncode == 0, forgotten.stderr
    tame(forgotten)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("forget", f"{ID}x", "--yes"), 7),
        (("recall", '" OR memory:"default" \x1b[31m*'), 3),
        (("tags", "\x1b[31m"), 0),
        (("cypher", "../../etc/passwd\x1b[31m"), 7),
        (("cypher", "recall/../../bamboo_neo4j/errors"), 7),
        (("memories", "forget", "a`b\x1b[31m", "--yes"), 2),
        (("recall\x1b[31m", "x"), 2),
        (("recall", "x", "--no\x1b[31m"), 2),
        (("ingest", "none\x1b[31m.txt"), 1),
        (("ingest", "-", "--language", "\x1b[31m"), 2),
        (("ingest", "-", "--vocabulary", "/none/\x1b[31m"), 1),
        (("ingest", "-", "--tagger", "\x1b[31m:x"), 2),
        (("--uri", "bolt://a:b@\x1b[31m", "stats"), 4),
    ],
    ids=lambda words: " ".join(words).encode("unicode_escape").decode() if isinstance(words, tuple) else None,
)
def test_no_argument_drives_the_terminal(bamboo: Bamboo, words: tuple[str, ...], code: int) -> None:
    done = bamboo(*words, input="Ada Kern", env={"BAMBOO_RETRY_SECONDS": "1"})
    assert done.returncode == code, done.stderr
    tame(done)
    assert len(done.stderr.strip().splitlines()) <= 4


def test_settings_are_shown_without_what_drives_a_terminal(bamboo: Bamboo) -> None:
    tame(bamboo("doctor", env={"BAMBOO_MODEL": "\x1b[31mm\u202e", "OPENAI_BASE_URL": "http://a\x9b31m"}))


def test_a_name_in_brackets_is_no_style_of_the_progress_bar(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "[").mkdir()
    (tmp_path / "[" / "red].txt").write_text("Ada Kern met Leo Brandt.")
    environment = {**os.environ, "NEO4J_URI": settings["uri"], "BAMBOO_MEMORY": settings["memory"]}
    environment |= {"PYTHONPATH": str(CHECKOUT), "TERM": "xterm"}
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bamboo_neo4j", "ingest", str(tmp_path), "--json"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=follower,
            check=False,
            timeout=120,
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 0
    assert json.loads(done.stdout)["added"] == 1
    with Memory.open(settings=settings) as memory:
        memory.forget_all()
