"""JSON is found in what models write, checked, and asked for again where it is unfit."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from bamboo_neo4j.errors import UnusableReply
from bamboo_neo4j.models.chat import Message, Reply, Usage, require_usable
from bamboo_neo4j.models.structured import ATTEMPTS, MORE_ROOM, ask, read_reply, schema_request

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verdict(BaseModel):
    holds: bool
    reason: str = Field(max_length=200)


GOOD = '{"holds": true, "reason": "said so"}'
QUESTION = (Message("system", "Judge."), Message("user", "Is it so?"))


class Scripted:
    """A chat model with a queue of replies; a reply may carry its finish reason."""

    name = "scripted"

    def __init__(self, *replies: str | tuple[str, str]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[list[Message], int]] = []

    @property
    def usage(self) -> Usage:
        return Usage(calls=len(self.asked))

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        self.asked.append((list(messages), max_tokens))
        reply = self.replies.pop(0)
        text, finish = (reply, "stop") if isinstance(reply, str) else reply
        require_usable(text, model=self.name, finish_reason=finish)
        parsed = read_reply(text, schema, model=self.name) if schema else None
        return Reply(text=text, parsed=parsed, finish_reason=finish, usage=Usage(calls=1))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps!",
        f"Sure! Here it is: {GOOD} Anything else?",
        '{"holds": true, "reason": "said so",}',
        f'<think>First {{"holds": false, "reason": "a guess"}} but no.</think>\n{GOOD}',
        '\ufeff{"holds": true, "reason": "said so"}',
        f'The form is {{"holds": "<bool>"}} so: {GOOD}',
        f'[1], {{}}, {{"a": [}} and then {GOOD}',
    ],
)
def test_json_is_found_in_fences_prose_thoughts_and_with_trailing_commas(text: str) -> None:
    assert read_reply(text, Verdict, model="m") == Verdict(holds=True, reason="said so")


def test_a_comma_before_a_bracket_inside_a_string_is_kept() -> None:
    text = '{"holds": true, "reason": "a, ] b,}", }'
    assert read_reply(text, Verdict, model="m").reason == "a, ] b,}"


def test_half_a_character_does_not_get_into_what_is_said() -> None:
    text = '{"holds": true, "reason": "\\ud800 but \\ud83d\\ude00"}'
    assert read_reply(text, Verdict, model="m").reason == " but \U0001f600"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("I would say yes.", "it holds no JSON"),
        ('{"holds": true}', "reason - Field required"),
        ('{"holds": NaN, "reason": "x"}', "it holds no JSON"),
        ('{"holds": true, "reason": "cut in the mid', "it holds no JSON"),
        ("<think>for ever and ever", "it holds no JSON"),
    ],
)
def test_what_does_not_fit_is_unusable_and_the_fault_is_named(text: str, fault: str) -> None:
    with pytest.raises(UnusableReply, match=fault) as caught:
        read_reply(text, Verdict, model="m")
    assert caught.value.reason == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 20_000,
        "{" * 500_000,
        '"' + "\\" * 300_000,
        '\\"' * 100_000,
        "```json" + "\n" * 300_000,
        "```\n" * 50_000,
        ", " * 100_000,
        "<think>" * 50_000,
    ],
    ids=lambda text: text[:8],
)
def test_p19_a_runaway_reply_is_given_up_in_no_time(text: str) -> None:
    begun = perf_counter()
    with pytest.raises(UnusableReply):
        read_reply(text, Verdict, model="m")
    assert perf_counter() - begun < 5


def test_json_with_a_trailing_comma_is_found_after_a_lone_quotation_mark() -> None:
    text = 'A 5" nail. {"holds": true, "reason": "a, ]",} And ["more",]'
    assert read_reply(text, Verdict, model="m").reason == "a, ]"


@given(st.text(max_size=300))
def test_any_text_either_fits_or_is_unusable(text: str) -> None:
    with suppress(UnusableReply):
        assert isinstance(read_reply(text, Verdict, model="m"), Verdict)


def test_p18_the_schema_itself_is_no_answer() -> None:
    with pytest.raises(UnusableReply):
        read_reply(schema_request(Verdict), Verdict, model="m")


def test_an_unfit_reply_is_shown_back_with_its_fault_and_asked_for_again() -> None:
    model = Scripted('{"holds": "perhaps", "reason": ""}', GOOD)
    assert ask(model, QUESTION, schema=Verdict, max_tokens=100).holds
    second = model.asked[1][0]
    assert second[:2] == list(QUESTION)
    assert [turn.role for turn in second] == ["system", "user", "assistant", "user"]
    assert "perhaps" in second[2].content
    assert "holds" in second[3].content


def test_a_reply_is_asked_for_three_times_and_no_more() -> None:
    model = Scripted(*["nonsense"] * 10)
    with pytest.raises(UnusableReply, match="no JSON"):
        ask(model, QUESTION, schema=Verdict, max_tokens=100)
    assert len(model.asked) == ATTEMPTS == 3


def test_p19_a_cut_reply_gets_more_room_once() -> None:
    model = Scripted(('{"holds": tr', "length"), GOOD)
    ask(model, QUESTION, schema=Verdict, max_tokens=100)
    assert [room for _, room in model.asked] == [100, 100 * MORE_ROOM]

    model = Scripted(*[('{"holds": tr', "length")] * 5)
    with pytest.raises(UnusableReply, match="cut off") as caught:
        ask(model, QUESTION, schema=Verdict, max_tokens=100)
    assert caught.value.reason == "cut"
    assert len(model.asked) == 2


@pytest.mark.parametrize(("finish", "reason"), [("content_filter", "filtered"), ("refusal", "refused")])
def test_p20_a_refused_or_filtered_reply_is_not_asked_for_again(finish: str, reason: str) -> None:
    model = Scripted((GOOD, finish), GOOD)
    with pytest.raises(UnusableReply) as caught:
        ask(model, QUESTION, schema=Verdict, max_tokens=100)
    assert caught.value.reason == reason
    assert len(model.asked) == 1


def test_a_reply_that_fits_but_fails_the_check_is_asked_for_again() -> None:
    model = Scripted('{"holds": false, "reason": "no"}', GOOD)
    verdict = ask(
        model, QUESTION, schema=Verdict, max_tokens=100, check=lambda it: "" if it.holds else "say yes"
    )
    assert verdict.holds
    assert "say yes" in model.asked[1][0][-1].content
