"""Chat models: one protocol with one method, and what it takes and gives.

A reply is either usable or an error: a refusal, a filtered, cut, empty or malformed reply is raised as
`UnusableReply`, so that no caller can take it for an answer.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, cast

from bamboo_neo4j.errors import ModelError, UnusableReply, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.language_models import BaseChatModel
    from pydantic import BaseModel

    from bamboo_neo4j.settings import Settings

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls have cost: requests that were answered, and the tokens the service counted."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A usable reply: `parsed` fits the schema that was asked for, and is None when none was."""

    text: str
    parsed: BaseModel | None
    finish_reason: str
    usage: Usage


class ChatModel(Protocol):
    """A model that answers a conversation; may be called from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as it is part of fingerprints."""

    @property
    def usage(self) -> Usage:
        """What all calls so far have cost, unusable replies included."""

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the reply to `messages`, at most `max_tokens` long; with `schema`, parsed and validated.

        Raises:
            UnusableReply: the reply to this input was refused, filtered, cut, empty or malformed.
            ModelError: the service failed, or refused the key.

        """


class Meter:
    """A running total of `Usage` that threads may share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = Usage()

    @property
    def total(self) -> Usage:
        """What was counted so far."""
        with self._lock:
            return self._total

    def add(self, usage: Usage) -> None:
        """Count the cost of one call."""
        with self._lock:
            self._total += usage


@dataclass(frozen=True, slots=True)
class Named:
    """The settings that a model's address, key and name come from, as messages name them."""

    url: str = "OPENAI_BASE_URL"
    key: str = "OPENAI_API_KEY"
    model: str = "BAMBOO_MODEL"


def open_chat(settings: Settings, *, model: str | None = None) -> ChatModel:
    """Return the chat model that the settings name, without a call to it.

    `model` takes the place of BAMBOO_MODEL.

    Raises:
        ModelError: no key and no base URL, or no model name, is set.
        UsageError: a setting cannot be used.

    """
    return _open(settings, model or settings["model"], url=settings["model_url"], key=settings["model_key"])


def open_verifier(settings: Settings, *, model: str | None = None) -> ChatModel:
    """Return the chat model that checks answers, without a call to it: by default the one that gives them.

    `model` takes the place of BAMBOO_VERIFIER_MODEL. BAMBOO_VERIFIER_URL names another server; that one is
    sent BAMBOO_VERIFIER_KEY, never the key of the first. Raises as `open_chat` does.
    """
    name = model or settings["verifier_model"] or settings["model"]
    url, key = settings["verifier_url"], settings["verifier_key"]
    named = Named(
        url="BAMBOO_VERIFIER_URL" if url.strip() else "OPENAI_BASE_URL",
        key="BAMBOO_VERIFIER_KEY" if url.strip() or key.strip() else "OPENAI_API_KEY",
        model="BAMBOO_VERIFIER_MODEL" if settings["verifier_model"] else "BAMBOO_MODEL",
    )
    if not url.strip():
        url, key = settings["model_url"], key or settings["model_key"]
    return _open(settings, name, url=url, key=key, named=named)


def _open(settings: Settings, name: str, *, url: str, key: str, named: Named | None = None) -> ChatModel:
    url, key = url.strip(), key.strip()
    if not key and not url:
        raise ModelError(
            "no model service is configured",
            hint="set OPENAI_API_KEY, or OPENAI_BASE_URL of a compatible server, and BAMBOO_MODEL",
        )
    if not name:
        raise ModelError("no model is named", hint="set BAMBOO_MODEL to a model that the service offers")
    from bamboo_neo4j.models.openai_chat import OpenAIChat

    return OpenAIChat(
        name,
        key=key,
        base_url=url,
        named=named or Named(),
        timeout=_number(settings, "model_timeout", lowest=0.001, highest=86_400.0),
        retries=int(_number(settings, "model_retries", lowest=0.0, highest=20.0)),
    )


def as_chat(model: ChatModel | BaseChatModel) -> ChatModel:
    """Return a LangChain chat model as a `ChatModel`, and a `ChatModel` as it is.

    Raises UsageError for anything else.
    """
    if callable(getattr(model, "complete", None)):
        return cast("ChatModel", model)
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise UsageError(f"{type(model).__name__!r} is no chat model", hint="give one of LangChain's")
    from bamboo_neo4j.models.langchain_chat import LangChainChat

    return LangChainChat(model)


def require_usable(text: str, *, model: str, finish_reason: str, refusal: str | None = None) -> None:
    """Raise UnusableReply where a reply is a refusal, filtered, cut or empty."""
    if refusal:
        shown = " ".join(refusal.split())[:200]
        raise UnusableReply(f"the model {model!r} refused: {shown}", reason="refused", text=text)
    if finish_reason == "refusal":
        raise UnusableReply(f"the model {model!r} refused", reason="refused", text=text)
    if finish_reason == "content_filter":
        raise UnusableReply(f"a content filter stopped the model {model!r}", reason="filtered", text=text)
    if finish_reason == "length":
        raise UnusableReply(
            f"the reply of the model {model!r} was cut off at its length limit", reason="cut", text=text
        )
    if not text.strip():
        raise UnusableReply(f"the model {model!r} gave an empty reply", reason="empty", text=text)


def _number(settings: Settings, name: str, *, lowest: float, highest: float) -> float:
    setting = settings.find(name)
    try:
        value = float(setting.value)
    except ValueError:
        value = float("nan")
    if not lowest <= value <= highest:
        raise UsageError(
            f"{setting.source} is {setting.value!r}, which is no usable number",
            hint=f"give a number from {lowest:g} to {highest:g}",
        )
    return value
