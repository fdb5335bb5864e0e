"""Ways to answer a question, so that they can be compared: the model alone, with passages, and `ask`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from bamboo_neo4j.errors import NothingRecalled, UnusableReply, UsageError
from bamboo_neo4j.models.chat import Message, Usage
from bamboo_neo4j.models.prompting import as_data, load_prompt
from bamboo_neo4j.models.structured import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.models.chat import ChatModel, Reply
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.records import Recall

PASSAGES = 5
"""Chunks that plain retrieval gives the model."""
_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.DOTALL)

SHORT, LONG = 100, 600
"""Tokens of an answer, and of thoughts with an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: "" is an abstention, `reason` says why or what failed.

    `context` is what the model could read besides the question, None where there was nothing of that kind.
    `usage` and `seconds` are what this question cost, failed calls included.
    """

    text: str
    context: str | None = None
    reason: str = ""
    failed: bool = False
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


Method = Callable[[str], Answer]
"""Takes a question and answers it. Raises ModelError where the service fails, never for one bad reply."""


class ShortAnswer(BaseModel):
    """An answer alone."""

    answer: str = Field(max_length=400)


class ReasonedAnswer(BaseModel):
    """Thoughts before an answer."""

    thoughts: str = Field(max_length=4000)
    answer: str = Field(max_length=400)


class Judgement(BaseModel):
    """What a judge says of an answer."""

    right: bool


def none(_question: str) -> Answer:
    """Answer nothing: stands for a method that is known but not to be used."""
    return Answer("", failed=True)


def direct(model: ChatModel) -> Method:
    """Make a method of the model alone: one call, the answer at once."""
    return lambda question: _call(
        model, "answer_direct", as_data(question, mark="question"), schema=ShortAnswer, room=SHORT
    )


def steps(model: ChatModel) -> Method:
    """Make a method of the model alone that thinks first (chain of thought; Wei et al. 2022), in one call."""
    return lambda question: _call(
        model, "answer_steps", as_data(question, mark="question"), schema=ReasonedAnswer, room=LONG
    )


def passages(model: ChatModel, recall: Callable[[str], Recall]) -> Method:
    """Make a method of plain retrieval: the first `PASSAGES` chunks of `recall`, then one call.

    Where nothing is recalled it abstains without a call.
    """

    def answer(question: str) -> Answer:
        try:
            chunks = recall(question).chunks[:PASSAGES]
        except NothingRecalled as error:
            return Answer("", "", reason=error.message)
        context = "\n\n".join(
            as_data("\n".join(filter(None, (each.title, each.text))), mark="passage") for each in chunks
        )
        text = f"{context}\n\n{as_data(question, mark='question')}"
        found = _call(model, "answer_passages", text, schema=ShortAnswer, room=SHORT)
        return replace(found, context=context)

    return answer


class Overheard:
    """A chat model that remembers what passages it was shown: those of one question, in order, each once."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._shown: dict[str, None] = {}
        self.name = model.name

    @property
    def usage(self) -> Usage:
        """What all calls so far have cost."""
        return self._model.usage

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the model's reply; see `ChatModel.complete`."""
        asked = (
            found for turn in messages if turn.role == "user" for found in _PASSAGE.findall(turn.content)
        )
        self._shown.update(dict.fromkeys(asked))
        return self._model.complete(messages, schema=schema, max_tokens=max_tokens)

    def take(self) -> str:
        """Return the passages shown since the last time."""
        shown, self._shown = "\n\n".join(self._shown), {}
        return shown


def by_ask(asks: Callable[[str, ChatModel], Asked], model: ChatModel) -> Method:
    """Make a method of `ask`, called with the question and the model; what it reads are its passages.

    An abstention because of a limit counts as failed.
    """
    heard = Overheard(model)

    def answer(question: str) -> Answer:
        try:
            asked = asks(question, heard)
        except (UnusableReply, UsageError) as error:  # a question that is too long, or no question
            return Answer("", heard.take(), reason=error.message, failed=True)
        text = "" if asked.abstained else asked.answer
        return Answer(text, heard.take(), reason=asked.reason, failed=bool(asked.limit))

    return answer


def timed(method: Method, models: Sequence[ChatModel]) -> Method:
    """Let `method` say what it cost: seconds, and what all calls to `models` (each once) have used."""
    metered = list({id(model): model for model in models}.values())

    def answer(question: str) -> Answer:
        before, started = _used(metered), perf_counter()
        found = method(question)
        seconds, after = perf_counter() - started, _used(metered)
        return replace(found, usage=_less(after, before), seconds=seconds)

    return answer


def judge(model: ChatModel, question: str, *, answers: Sequence[str], given: str) -> bool:
    """Ask `model` whether `given` answers `question` as one of `answers` does.

    Raises UnusableReply where it gives no verdict.
    """
    parts = [
        as_data(question, mark="question"),
        *(as_data(each, mark="right_answer") for each in answers),
        as_data(given, mark="answer"),
    ]
    talk = [Message("system", load_prompt("judge_answer")), Message("user", "\n\n".join(parts))]
    return ask(model, talk, schema=Judgement, max_tokens=SHORT).right


def _call(
    model: ChatModel, prompt: str, text: str, *, schema: type[ShortAnswer | ReasonedAnswer], room: int
) -> Answer:
    try:
        reply = ask(
            model,
            [Message("system", load_prompt(prompt)), Message("user", text)],
            schema=schema,
            max_tokens=room,
        )
    except UnusableReply as unusable:
        return Answer("", reason=unusable.message, failed=True)
    return Answer(reply.answer.strip())


def _used(models: Sequence[ChatModel]) -> Usage:
    return sum((model.usage for model in models), Usage())


def _less(after: Usage, before: Usage) -> Usage:
    return Usage(
        after.calls - before.calls,
        after.prompt_tokens - before.prompt_tokens,
        after.completion_tokens - before.completion_tokens,
    )
