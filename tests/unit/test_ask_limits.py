"""Limits of one answer: calls, tokens, seconds, and the model's window; each is named when it is reached."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.cli.ask import ask
from bamboo_neo4j.errors import LimitReached, UsageError
from bamboo_neo4j.memorise.tokens import count_tokens
from bamboo_neo4j.models.chat import Usage
from bamboo_neo4j.reason.asking import AskOptions, way_of
from bamboo_neo4j.reason.limits import Budget, Limits
from tests.scripted import Completion, Hang, ScriptedServer
from tests.thinking import FINE, Asker, Brain, Shelf, kind_of, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.scripted import Request

QUESTION = "Who performed the album Green?"
ALBUM = "Ada Kern performed the album Green."
RIGHT = says("Ada Kern", "performed the album")


@contextmanager
def asking(brain: object, passages: Mapping[str, str] | None = None) -> Iterator[Asker]:
    with ScriptedServer(brain) as server:  # type: ignore[arg-type]
        yield Asker(server, Shelf({"album": ALBUM} if passages is None else passages))


@pytest.mark.parametrize("calls", [1, 2])
def test_no_call_is_made_beyond_the_limit_and_what_was_found_is_no_answer(calls: int) -> None:
    with asking(Brain(answer=RIGHT)) as asker:
        asked = asker.ask(QUESTION, max_calls=calls)
        assert asker.server.calls == calls
    assert (asked.answer, asked.abstained, asked.limit) == ("I don't know", True, "calls")
    assert f"the limit of {calls} calls" in asked.reason
    assert asked.map.root.verdict == "open"
    assert asked.output is None


def test_calls_for_replies_that_were_unusable_count_too() -> None:
    with asking(Brain(answer="prose")) as asker:
        asked = asker.ask(QUESTION, max_calls=3)
        assert asker.server.calls == 3
    assert asked.limit == "calls"


def test_tokens_are_counted_as_the_service_says_and_end_it() -> None:
    def costly(request: Request) -> object:
        return Completion(Brain(answer=RIGHT)(request), prompt_tokens=40_000, completion_tokens=10_000)

    with asking(costly) as asker:
        asked = asker.ask(QUESTION, max_tokens=90_000)
    assert (asked.limit, asked.spent.tokens, asked.spent.calls) == ("tokens", 100_000, 2)
    assert "the limit of 90,000 tokens" in asked.reason


def test_a_service_that_counts_no_tokens_is_counted_for() -> None:
    def silent(request: Request) -> object:
        return Completion(Brain(answer=RIGHT)(request), prompt_tokens=0, completion_tokens=0)

    with asking(silent) as asker:
        asked = asker.ask(QUESTION)
    assert 500 < asked.spent.prompt_tokens < 5_000
    assert asked.spent.completion_tokens > 10


def test_seconds_end_a_call_that_is_still_waiting() -> None:
    started = monotonic()
    with asking(lambda _: Hang(20)) as asker:
        asked = asker.ask(QUESTION, max_seconds=0.5)
    assert asked.limit == "seconds"
    assert "the limit of 0.5 seconds" in asked.reason
    assert asked.spent.calls == 1
    assert asked.spent.prompt_tokens > 100
    assert monotonic() - started < 10


def test_a_limit_keeps_the_parts_that_were_answered() -> None:
    spouse = "Who is married to the performer of Green?"
    brain = Brain(plans={spouse: [QUESTION, "Who is married to #1?"]}, answers={QUESTION: RIGHT})
    with asking(brain) as asker:
        asked = asker.ask(spouse, max_calls=3)
    assert [one.verdict for one in asked.map.questions] == ["open", "verified", "open"]
    assert asked.abstained


def test_p22_no_request_is_above_the_window_and_what_was_cut_is_said() -> None:
    long = " ".join(f"Note {number} is about the album Green." for number in range(120))
    chinese = "绿色专辑 Green album 由另一个人在另一年演唱，" * 70
    others = [(f"p{number}", chinese if number % 2 else long) for number in range(200)]
    passages = dict([*others[:3], ("album", ALBUM), *others[3:]])
    with asking(Brain(answer=RIGHT), passages) as asker:
        asked = asker.ask(QUESTION, window=4096)
        for request in asker.server.requests:
            size = count_tokens(request.prompt) + int(request.body["max_tokens"])
            assert size <= 4096, kind_of(request)
    assert asked.answer == "Ada Kern"
    assert "to fit the model's window of 4,096 tokens" in asked.truncated[-1]


def test_p22_a_reply_that_was_cut_gets_no_more_room_than_the_window_has() -> None:
    cut = Completion('{"answer": "Ada', finish_reason="length")
    with asking(Brain(answer=cut)) as asker:
        asker.ask(QUESTION, window=2048)
        sizes = [count_tokens(each.prompt) + int(each.body["max_tokens"]) for each in asker.server.requests]
    assert max(sizes) <= 2048


def test_p22_a_question_above_the_window_is_one_clear_error_and_no_call() -> None:
    with asking(Brain()) as asker:
        with pytest.raises(UsageError, match=r"is [\d,]+ tokens long, and 1,638 is the most") as caught:
            asker.ask("Who performed the album Green, and why? " * 500, window=4096)
        assert asker.server.calls == 0
    assert "BAMBOO_MODEL_WINDOW" in caught.value.hint


def test_p22_the_servers_own_word_on_length_is_no_crash() -> None:
    too_long: object = (400, {}, {"error": {"message": "maximum context length is 4096 tokens"}})

    def short(request: Request) -> object:
        return too_long if kind_of(request) == "answer" else {"steps": []}

    with asking(short) as asker:
        asked = asker.ask(QUESTION)
    assert asked.abstained
    assert "too long for the model" in asked.reason


@pytest.mark.parametrize(
    "options",
    [
        {"depth": -1},
        {"max_nodes": 0},
        {"max_calls": 0},
        {"max_tokens": 0},
        {"max_seconds": 0},
        {"max_seconds": float("nan")},
        {"rethink": "never"},
        {"rethinks": -1},
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, float | str]) -> None:
    with pytest.raises(UsageError, match=r"use|rethink"):
        way_of(options, window=8192)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the limit of window"):
        Limits(window=10)


def test_what_was_taken_before_counts_for_what_is_judged_afterwards() -> None:
    taken = Budget(Limits(calls=3, seconds=10), Usage(2, 100, 20), seconds=4.0)
    taken.require(10)
    assert 5 < taken.left < 6
    taken.add(Usage(1))
    with pytest.raises(LimitReached, match="3 calls"):
        taken.require(10)


def test_a_question_without_a_word_asks_nothing() -> None:
    with asking(lambda _: FINE) as asker, pytest.raises(UsageError, match="asks nothing"):
        asker.ask(" ?! ")


def test_the_command_has_the_defaults_that_python_has() -> None:
    """The command names them itself, since it must not import what asks before it runs."""
    shown = {
        option.name: option.default for option in ask.params if option.name in AskOptions.__annotations__
    }
    given = {name: value for name, value in shown.items() if isinstance(value, int | str)}
    assert {"depth", "max_nodes", "max_calls", "max_tokens", "max_seconds", "rethink"} <= given.keys()
    assert way_of(given, window=8192) == way_of({}, window=8192)  # type: ignore[arg-type]
