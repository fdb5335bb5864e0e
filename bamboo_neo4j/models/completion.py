"""A chat completion as servers send it: read from the bytes of the answer, whatever stands in them.

The protocol says what belongs into it; proxies, small servers and pages of error hold something else. What is
no completion is a `ModelError` that says what came instead, what is no reply an `UnusableReply`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bamboo_neo4j.errors import ModelError, UnusableReply
from bamboo_neo4j.models.chat import Usage
from bamboo_neo4j.models.prompting import readable

MOST_TOKENS = 1_000_000_000
"""Tokens of one call that are believed; no graph holds whatever number a server may name."""
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Completion:
    """What one answer of the service says: the text of the reply, and why it ended."""

    text: str
    finish_reason: str
    refusal: str


def decode(raw: bytes) -> object:
    """Return the JSON in the body of an answer, None where it is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def completion_of(body: object, *, model: str, address: str, setting: str) -> Completion:
    """Return the completion in the body of an answer whose status says that all is well.

    `setting` is what names the `address`. Raises ModelError where there is none, UnusableReply where the
    model calls a tool in place of replying.
    """
    choice, message = _first_choice(body)
    if message is None:
        raise _no_completion(body, model=model, address=address, setting=setting)
    text, refusal = _plain(message.get("content")), message.get("refusal")
    if message.get("tool_calls") and not text and not refusal:
        raise UnusableReply(f"the model {model!r} calls a tool, and none was offered", reason="empty")
    ending = choice.get("finish_reason")
    return Completion(
        text=text,
        finish_reason=ending if isinstance(ending, str) and ending else "stop",
        refusal=said(refusal) if refusal else "",
    )


def usage_of(body: object) -> Usage:
    """Return what an answer cost as it says itself: one call, and the tokens that it counts."""
    counted = body.get("usage") if isinstance(body, dict) else None
    tokens = counted if isinstance(counted, dict) else {}
    return Usage(1, _count(tokens.get("prompt_tokens")), _count(tokens.get("completion_tokens")))


def said(error: object) -> str:
    """Return what a service says of a failure, on one line: its message and code, else all of it."""
    text = str(error)
    if isinstance(error, dict):
        parts = [error.get(field) for field in ("message", "code", "param", "detail")]
        text = " ".join(str(part) for part in parts if part) or text
    return " ".join(readable(text).split())[:_SHOWN]


def _first_choice(body: object) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the first choice and the message in it, None where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    return (choice, message) if isinstance(choice, dict) and isinstance(message, dict) else ({}, None)


def _no_completion(body: object, *, model: str, address: str, setting: str) -> ModelError:
    error = body.get("error") if isinstance(body, dict) else None
    if error:
        return ModelError(
            f"the model service answered with an error, for {model!r}: {said(error)}",
            hint="run again; what is done is kept",
        )
    return ModelError(
        f"the service at {address} answered with something that is no chat completion",
        hint=f"check {setting}; it often ends in /v1",
    )


def _count(tokens: object) -> int:
    return min(max(0, tokens), MOST_TOKENS) if isinstance(tokens, int) else 0


def _plain(content: object) -> str:
    """Return the text of a message, whose content some servers give as a list of parts."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    return readable("".join(text for text in texts if isinstance(text, str)))
