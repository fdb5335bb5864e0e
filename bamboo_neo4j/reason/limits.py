"""Limits: how many calls, tokens and seconds one answer may take, and how much a model reads at once.

A limit that is reached ends the reasoning with `LimitReached`, which names it; `memory.ask` turns that into
an abstention. Nothing is guessed with what is left.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import BambooError, LimitReached, UnusableReply, UsageError
from bamboo_neo4j.models.chat import Usage
from bamboo_neo4j.models.structured import schema_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from bamboo_neo4j.models.chat import ChatModel, Message, Reply

LimitName = Literal["calls", "tokens", "seconds"]

DEPTH = 3
"""Levels below the question (CogGRAG answers most questions within three)."""
MOST_NODES = 12
"""Questions of one map, the first included."""
MOST_CALLS = 60
"""Twelve questions, each answered, checked, thought over and checked again, and planned: with room."""
MOST_TOKENS = 250_000
MOST_SECONDS = 900.0

SMALLEST_WINDOW = 1024
A_TURN = 4
"""Tokens that a chat template spends on a turn beside its text."""
ROOM = 96
"""Least tokens that a reply needs to say anything."""
SPARE = 1.1
"""Other models' tokenizers count differently from the one we count with; by so much a prompt is taken
longer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may take at most. `window` is what the model reads and writes at once, in tokens.

    Raises UsageError for a number that is out of range.
    """

    depth: int = DEPTH
    nodes: int = MOST_NODES
    calls: int = MOST_CALLS
    tokens: int = MOST_TOKENS
    seconds: float = MOST_SECONDS
    window: int = 8192

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        least = {"depth": 0, "nodes": 1, "calls": 1, "tokens": 1, "window": SMALLEST_WINDOW}
        for name, lowest in least.items():
            value = getattr(self, name)
            if value < lowest:
                raise UsageError(f"the limit of {name} is {value!r}", hint=f"use {lowest} or more")
        if not 0 < self.seconds < float("inf"):
            raise UsageError(f"the limit of seconds is {self.seconds!r}", hint="use a number above 0")


class Budget:
    """What has been taken of the limits, by all models together; threads may share it.

    `usage` and `seconds` are what was taken before.
    """

    def __init__(self, limits: Limits, usage: Usage | None = None, *, seconds: float = 0.0) -> None:
        self.limits = limits
        self.usage = usage or Usage()
        self.reached: LimitName | None = None
        self._started = time.monotonic() - seconds
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Seconds since the question was asked."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.limits.seconds - self.seconds

    def require(self, tokens: int) -> None:
        """Raise LimitReached unless one more call with a prompt of `tokens` is within the limits."""
        spent = self.usage.prompt_tokens + self.usage.completion_tokens
        if self.usage.calls >= self.limits.calls:
            raise self.stop("calls")
        if spent + tokens > self.limits.tokens:
            raise self.stop("tokens")
        if self.left <= 0:
            raise self.stop("seconds")

    def add(self, usage: Usage) -> None:
        """Count what a call has cost."""
        with self._lock:
            self.usage += usage

    def stop(self, name: LimitName) -> LimitReached:
        """Return the error that says that a limit was reached, and remember which."""
        self.reached = name
        value = self.limits.seconds if name == "seconds" else getattr(self.limits, name)
        most = f"{value:g}" if name == "seconds" else f"{value:,}"
        return LimitReached(
            f"the limit of {most} {name} for one answer was reached",
            hint=f"raise it with --max-{name}, or ask a narrower question",
        )


class LimitedChat:
    """A `ChatModel` within a budget: no call is made beyond a limit, and no request beyond the window.

    `count` counts the tokens of a text. A call that is still waiting when the seconds are over is left
    behind.
    """

    def __init__(self, model: ChatModel, budget: Budget, *, count: Callable[[str], int]) -> None:
        self._model = model
        self._budget = budget
        self._count = count
        self.name = model.name

    @property
    def usage(self) -> Usage:
        """What all calls of the model have cost."""
        return self._model.usage

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the reply to `messages`; see `ChatModel.complete`.

        Raises:
            LimitReached: no call, token or second is left.
            UnusableReply: the prompt is longer than the window.

        """
        prompt = self.size(messages, schema)
        room = self._budget.limits.window - prompt
        if room < ROOM:
            raise UnusableReply(
                f"the prompt of {prompt:,} tokens leaves no room for a reply in the window of "
                f"{self._budget.limits.window:,} of the model {self.name!r}",
                reason="too long",
                hint="ask a shorter question, or set BAMBOO_MODEL_WINDOW if the model reads more",
            )
        self._budget.require(prompt)
        before, text, failed = self._model.usage, "", False
        try:
            reply = self._within_time(messages, schema, min(max_tokens, room))
            text = reply.text
        except BambooError as error:
            text, failed = error.text if isinstance(error, UnusableReply) else "", True
            raise
        finally:
            counted = _since(before, self._model.usage)
            self._budget.add(self._cost(counted, prompt, text, failed=failed))
        return reply

    def _cost(self, counted: Usage, prompt: int, text: str, *, failed: bool) -> Usage:
        """Return what a call has cost; where the service counts no tokens, we do.

        A call that was sent and not answered counts with its prompt; the reply of a cache costs nothing.
        """
        if failed and not counted.calls:
            counted = Usage(1)
        if counted.calls and not counted.prompt_tokens + counted.completion_tokens:
            return Usage(counted.calls, prompt, self._count(text))
        return counted

    def size(self, messages: Sequence[Message], schema: type[BaseModel] | None = None) -> int:
        """Return the tokens of a prompt, rather too many than too few; a schema may be sent as text."""
        text = sum(self._count(turn.content) + A_TURN for turn in messages)
        if schema is not None:
            text += self._count(schema_request(schema))
        return round(text * SPARE)

    def _within_time(
        self, messages: Sequence[Message], schema: type[BaseModel] | None, max_tokens: int
    ) -> Reply:
        """Call the model in a thread, since a service that is silent cannot be stopped from outside."""
        done: list[Reply] = []
        failed: list[BaseException] = []

        def call() -> None:
            try:
                done.append(self._model.complete(messages, schema=schema, max_tokens=max_tokens))
            except BaseException as error:  # noqa: BLE001 - it is raised where the reply is waited for
                failed.append(error)

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(max(0.0, self._budget.left))
        if failed:
            raise failed[0]
        if not done:
            raise self._budget.stop("seconds")
        return done[0]


def _since(before: Usage, after: Usage) -> Usage:
    """Return what was added between two totals."""
    return Usage(
        after.calls - before.calls,
        after.prompt_tokens - before.prompt_tokens,
        after.completion_tokens - before.completion_tokens,
    )
