"""Chat models of LangChain, wherever a chat model is taken.

Structured output is asked for in the prompt and read tolerantly: it is the one way that every integration
has, and it leaves room for the length limit, which LangChain's own structured output does not pass on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ModelError
from bamboo_neo4j.models.chat import Meter, Reply, Usage, require_usable
from bamboo_neo4j.models.prompting import readable
from bamboo_neo4j.models.secrets import scrub
from bamboo_neo4j.models.structured import read_reply, with_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from pydantic import BaseModel

    from bamboo_neo4j.models.chat import Message

_ENDINGS = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "refusal",
}
"""What the integrations call the endings that matter, in lower case."""


class LangChainChat:
    """A LangChain chat model as a `ChatModel`; threads may share it if they may share the model."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model
        self.name = _name(model)
        self._meter = Meter()
        self._takes_limit = True
        self._secrets = tuple(_secrets(model))

    def __repr__(self) -> str:
        return f"LangChainChat({self.name!r})"

    @property
    def usage(self) -> Usage:
        """What all calls so far have cost."""
        return self._meter.total

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the reply to `messages`; see `ChatModel.complete`."""
        turns = messages if schema is None else with_request(messages, schema)
        answer = self._invoke([(turn.role, readable(turn.content)) for turn in turns], max_tokens)
        usage = _usage(answer)
        self._meter.add(usage)
        text, finish = str(answer.text), _ending(answer)
        refusal = answer.additional_kwargs.get("refusal")
        require_usable(text, model=self.name, finish_reason=finish, refusal=refusal)
        parsed = None if schema is None else read_reply(text, schema, model=self.name)
        return Reply(text=text, parsed=parsed, finish_reason=finish, usage=usage)

    def _invoke(self, turns: list[tuple[str, str]], max_tokens: int) -> BaseMessage:
        """Call the model, with the length limit unless its integration does not know that argument."""
        try:
            if self._takes_limit:
                try:
                    return self._model.invoke(turns, max_tokens=max_tokens)
                except TypeError as error:
                    if "max_tokens" not in str(error):
                        raise
                    self._takes_limit = False
            return self._model.invoke(turns)
        except Exception as error:  # noqa: BLE001 - each integration has errors of its own
            said = " ".join(scrub(str(error), self._secrets).split())[:400]
            raise ModelError(
                f"the model {self.name!r} failed: {type(error).__name__}: {said}",
                hint="run again; what is done is kept",
            ) from None


def _name(model: BaseChatModel) -> str:
    for field in ("model_name", "model", "model_id"):
        value = getattr(model, field, None)
        if isinstance(value, str) and value:
            return value
    return type(model).__name__


def _secrets(model: BaseChatModel) -> list[str]:
    """Return the values that the model itself declares secret."""
    from pydantic import SecretStr

    values = (getattr(model, field, None) for field in type(model).model_fields)
    return [value.get_secret_value() for value in values if isinstance(value, SecretStr)]


def _usage(answer: BaseMessage) -> Usage:
    counted = getattr(answer, "usage_metadata", None) or {}
    return Usage(1, counted.get("input_tokens", 0), counted.get("output_tokens", 0))


def _ending(answer: BaseMessage) -> str:
    said = answer.response_metadata
    ending = next(
        (said[key] for key in ("finish_reason", "stop_reason", "done_reason") if said.get(key)), "stop"
    )
    ending = str(getattr(ending, "value", ending)).lower()
    return _ENDINGS.get(ending, ending)
