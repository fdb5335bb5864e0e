"""Structured replies: JSON out of what a model wrote, checked against a schema, asked for again if unfit.

Servers that constrain the output are asked to; none is trusted to have done so.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from bamboo_neo4j.errors import ModelError, UnusableReply
from bamboo_neo4j.models.chat import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bamboo_neo4j.models.chat import ChatModel

Shape = TypeVar("Shape", bound=BaseModel)

ATTEMPTS = 3
"""Calls for one structured reply: the first and two that name what was wrong with the one before."""

MORE_ROOM = 4
"""A reply that was cut is asked for once more, with this many times the room."""

_LONGEST_REPLY = 400_000
_MOST_STARTS = 32
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_HALF = re.compile("[\ud800-\udfff]")
# Both take time in proportion to the text, whatever a model that runs away writes: no part of one can match
# what the part before it matches, and a string that is never closed ends with the text.
_FENCE = re.compile(r"```[\w-]*[^\S\n]*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])', re.DOTALL)
_OPENING = re.compile(r"[{\[]")


def ask(
    model: ChatModel,
    messages: Sequence[Message],
    *,
    schema: type[Shape],
    max_tokens: int,
    check: Callable[[Shape], str] | None = None,
) -> Shape:
    """Return the model's reply in the shape of `schema`, in at most `ATTEMPTS` calls.

    `check` returns what is wrong with a reply that fits the schema, or "". A malformed reply is shown back
    to the model with its fault, since the same request would give the same reply; a cut one gets more room,
    once; a refused or filtered one is not asked for again.

    Raises:
        UnusableReply: no reply to this input was usable.
        ModelError: the service failed.

    """
    talk, room = list(messages), max_tokens
    for attempt in range(1, ATTEMPTS + 1):
        try:
            reply = model.complete(talk, schema=schema, max_tokens=room)
            return _checked(reply.parsed, schema=schema, check=check, text=reply.text, name=model.name)
        except UnusableReply as unusable:
            cut_again = unusable.reason == "cut" and room > max_tokens
            if attempt == ATTEMPTS or cut_again or unusable.reason in {"refused", "filtered", "too long"}:
                raise
            if unusable.reason == "cut":
                room *= MORE_ROOM
            elif unusable.reason == "invalid":
                talk = [*messages, *_correction(unusable)]
    raise AssertionError  # pragma: no cover


def _checked(
    parsed: BaseModel | None,
    *,
    schema: type[Shape],
    check: Callable[[Shape], str] | None,
    text: str,
    name: str,
) -> Shape:
    if not isinstance(parsed, schema):
        raise ModelError(f"the adapter of the model {name!r} gave no {schema.__name__}")
    fault = check(parsed) if check else ""
    if fault:
        raise UnusableReply(
            f"the reply of the model {name!r} is unusable: {fault}", reason="invalid", text=text
        )
    return parsed


def _correction(unusable: UnusableReply) -> tuple[Message, Message]:
    """Return the turns that show a reply back with its fault; a chat template needs both roles in turn."""
    fault = unusable.message.rpartition(": ")[2]
    return (
        Message("assistant", unusable.text[:500] or "{}"),
        Message("user", f"That reply cannot be used: {fault}. Reply again, with the JSON object alone."),
    )


def read_reply(text: str, schema: type[Shape], *, model: str) -> Shape:
    """Return what `text` says in the shape of `schema`: the first JSON value in it that fits.

    Thoughts in <think> tags, code fences, prose around the JSON and trailing commas are passed over.

    Raises:
        UnusableReply: nothing in the text fits; the reason is "invalid".

    """
    fault = "it holds no JSON"
    for value in _json_values(text):
        try:
            return schema.model_validate(_whole(value))
        except ValidationError as error:
            fault = _fault(error)
        except RecursionError:
            fault = "it is nested too deeply"
    raise UnusableReply(f"the reply of the model {model!r} is unusable: {fault}", reason="invalid", text=text)


def schema_request(schema: type[BaseModel]) -> str:
    """Return the sentences that ask for JSON of this schema where the server cannot be told to."""
    described = json.dumps(schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    return (
        "Reply with one JSON object and nothing else. It must be an instance of this JSON schema; "
        f"do not repeat the schema itself: {described}"
    )


def with_request(messages: Sequence[Message], schema: type[BaseModel]) -> list[Message]:
    """Return `messages` with `schema_request` at the end of the instructions, before the text that varies."""
    request = schema_request(schema)
    if messages and messages[0].role == "system":
        return [Message("system", f"{messages[0].content}\n\n{request}"), *messages[1:]]
    return [Message("system", request), *messages]


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place} - {first['msg']}" if place else first["msg"]


def _json_values(text: str) -> Iterator[object]:
    """Yield the JSON values in a reply, the likeliest first: all of it, each fence, each outer value."""
    text = _THOUGHTS.sub(" ", text[:_LONGEST_REPLY]).strip()
    fenced = (found[1] for found in islice(_FENCE.finditer(text), _MOST_STARTS))
    for whole in chain((text,), fenced):
        value = _decode(whole)
        if value is not None:
            yield value
    yield from _embedded(text)


def _decode(text: str) -> object:
    for candidate in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return _DECODER.decode(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _whole(value: Any) -> Any:  # noqa: ANN401 - anything JSON holds
    """Return a JSON value without halves of surrogate pairs, which JSON can say and no graph can hold."""
    if isinstance(value, str):
        return _HALF.sub("", value)
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(entry) for key, entry in value.items()}
    return value


def _embedded(text: str) -> Iterator[object]:
    """Yield the objects and lists that stand in prose; bounded, since a runaway reply may open thousands."""
    position = 0
    for _ in range(_MOST_STARTS):
        start = _OPENING.search(text, position)
        if start is None:
            return
        text, position = text[start.start() :], 1
        with suppress(ValueError, RecursionError):
            value, text = _first(text)
            position = 0
            yield value


def _first(text: str) -> tuple[object, str]:
    """Return the JSON value that a text begins with, and what comes after it."""
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        text = _TRAILING_COMMA.sub(r"\1", text)
        value, end = _DECODER.raw_decode(text)
    return value, text[end:]


def _no_such_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_such_number)
