"""Replies kept on disk by content, with a real HTTP server behind."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from pydantic import BaseModel

from bamboo_neo4j.errors import UnusableReply, UsageError
from bamboo_neo4j.models.cached import Answers, CachedChat
from bamboo_neo4j.models.chat import Message, Usage, open_chat
from bamboo_neo4j.settings import read_settings
from tests.scripted import ScriptedServer

if TYPE_CHECKING:
    from pathlib import Path

TURNS = (Message("user", "Who?"),)


class Answer(BaseModel):
    answer: str


class Other(BaseModel):
    answer: str
    more: str = ""


def cached(server: ScriptedServer, path: Path, model: str = "scripted", service: str = "") -> CachedChat:
    settings = read_settings({"model_url": server.url, "model": model}, environ={})
    return CachedChat(open_chat(settings), Answers(path), service=service)


def test_the_same_request_is_asked_once_and_what_is_kept_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "answers.sqlite3"
    with ScriptedServer([{"answer": "one"}]) as server:
        first = cached(server, path).complete(TURNS, schema=Answer)
        again = cached(server, path)
        second = again.complete(TURNS, schema=Answer)
        assert server.calls == 1
    assert first.parsed == second.parsed == Answer(answer="one")
    assert (second.usage, again.usage, again.hits) == (Usage(), Usage(), 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_another_model_service_schema_or_prompt_is_another_request(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite3"
    with ScriptedServer(lambda _: {"answer": "one"}) as server:
        cached(server, path).complete(TURNS, schema=Answer)
        cached(server, path, model="other").complete(TURNS, schema=Answer)
        cached(server, path, service="elsewhere").complete(TURNS, schema=Answer)
        cached(server, path).complete(TURNS, schema=Other)
        cached(server, path).complete((Message("user", "Who else?"),), schema=Answer)
        cached(server, path).complete(TURNS, schema=Answer, max_tokens=9)
        assert server.calls == 6


def test_what_others_wrote_into_the_file_is_no_reply_unless_it_fits(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite3"
    with ScriptedServer(lambda _: {"answer": "one"}) as server:
        cached(server, path).complete(TURNS, schema=Answer)
        for poison in ('{"other": 1}', "", b"\xff\x00", 5, '"' * 100_000):
            with sqlite3.connect(path) as file:
                file.execute("UPDATE reply SET text = ?", (poison,))
            assert cached(server, path).complete(TURNS, schema=Answer).parsed == Answer(answer="one")
        assert server.calls == 6
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8_000)
        with suppress(UsageError):
            assert cached(server, path).complete(TURNS, schema=Answer).parsed == Answer(answer="one")


def test_what_was_no_answer_is_not_kept(tmp_path: Path) -> None:
    with ScriptedServer(["prose", {"answer": "one"}]) as server:
        chat = cached(server, tmp_path / "answers.sqlite3")
        with pytest.raises(UnusableReply):
            chat.complete(TURNS, schema=Answer)
        assert chat.complete(TURNS, schema=Answer).parsed == Answer(answer="one")


def test_a_file_that_is_no_store_of_answers_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite3"
    path.write_bytes(b"something else entirely, long enough for a header of a database file" * 20)
    with pytest.raises(UsageError, match=r"answers\.sqlite3"):
        Answers(path)
