"""What models are asked while a map is answered: for an answer from evidence, and whether one holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, field_validator

from bamboo_neo4j.models.chat import Message
from bamboo_neo4j.models.prompting import as_data, load_prompt
from bamboo_neo4j.models.structured import ask
from bamboo_neo4j.reason.asked import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bamboo_neo4j.models.chat import ChatModel

TOKENS_AN_ANSWER = 512
TOKENS_A_CHECK = 256
MOST_LABELS = 12
LONGEST_ANSWER, LONGEST_REASON = 400, 600
"""Characters of an answer, which is refused if it is longer, and of a reason, which is cut."""

_LABEL = re.compile(r"[AF]?\d+(?:\.\d+)*")
_UNKNOWN = re.compile(
    r"(?:i (?:do not|don['’]?t) know|unknown|unanswerable|no answer|n/a"
    r"|not (?:known|stated|given|mentioned|found))\W*",
    re.IGNORECASE,
)


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_REASON] if isinstance(value, str) else ""


_Reason = Annotated[
    str, BeforeValidator(_short), WithJsonSchema({"type": "string", "maxLength": LONGEST_REASON})
]


class Answer(BaseModel):
    """An answer as a model gives it, with the labels of what it cites and of what says otherwise."""

    why: _Reason = ""
    answer: Annotated[str, WithJsonSchema({"type": "string", "maxLength": LONGEST_ANSWER})]
    citations: list[str] = Field(default=[], json_schema_extra={"maxItems": MOST_LABELS})
    against: list[str] = Field(default=[], json_schema_extra={"maxItems": MOST_LABELS})

    @field_validator("answer", mode="before")
    @classmethod
    def _one_line(cls, value: object) -> object:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = f"{value}"
        if not isinstance(value, str):
            return value
        line = " ".join(value.split())
        if len(line) > LONGEST_ANSWER:
            raise ValueError(f"an answer of at most {LONGEST_ANSWER} characters is wanted")
        return line

    @field_validator("citations", "against", mode="before")
    @classmethod
    def _labels(cls, value: object) -> list[str]:
        """Return the labels of what was given as such: "[1]", "Passage 1", 1 and "1, F2" are clear enough."""
        items = value if isinstance(value, list) else [value]
        said = [str(item)[:200] for item in items[: 4 * MOST_LABELS] if isinstance(item, (str, int))]
        labels = dict.fromkeys(found for one in said for found in _LABEL.findall(one.upper()))
        return list(labels)[: 4 * MOST_LABELS]

    @property
    def is_unknown(self) -> bool:
        """Whether it says that it does not know."""
        return not self.answer or _UNKNOWN.fullmatch(self.answer) is not None


class Check(BaseModel):
    """What the second model says of an answer, and which one it has `found` itself, "" for none."""

    reason: _Reason = ""
    found: Annotated[
        str, BeforeValidator(_short), WithJsonSchema({"type": "string", "maxLength": LONGEST_ANSWER})
    ] = ""
    grounded: bool
    consistent: bool
    logical: bool

    @property
    def holds(self) -> bool:
        """Whether nothing was found wrong."""
        return self.grounded and self.consistent and self.logical

    @property
    def fault(self) -> str:
        """What was found wrong, in words."""
        wrong = [
            said
            for said, fine in (
                ("not grounded", self.grounded),
                ("not consistent", self.consistent),
                ("not logical", self.logical),
            )
            if not fine
        ]
        return f"{', '.join(wrong)}: {self.reason}" if self.reason else ", ".join(wrong)


def answer_prompt(question: str, context: str, *, earlier: str = "") -> tuple[Message, ...]:
    """Return the prompt for an answer: instructions, then the evidence, then what changes most, the question.

    `earlier` tells of an answer that was found wrong.
    """
    parts = [context, f"Question:\n{as_data(question, mark='question')}"]
    if earlier:
        parts.append(f"{load_prompt('rethink')}\n{as_data(earlier, mark='earlier')}")
    return Message("system", load_prompt("answer")), Message("user", "\n\n".join(parts))


def verify_prompt(
    question: str, context: str, *, answer: str, citations: Sequence[str]
) -> tuple[Message, ...]:
    """Return the prompt that has an answer checked, in the same order."""
    parts = [
        context,
        f"Question:\n{as_data(question, mark='question')}",
        f"Answer:\n{as_data(answer, mark='answer')}",
        f"It cites: {', '.join(citations)}",
    ]
    return Message("system", load_prompt("verify")), Message("user", "\n\n".join(parts))


def ask_answer(messages: Sequence[Message], *, model: ChatModel, labels: Collection[str]) -> Answer:
    """Return the model's answer; one that cites nothing, or what is not there, is asked for again.

    Raises UnusableReply, LimitReached or ModelError.
    """

    def check(reply: Answer) -> str:
        if reply.is_unknown:
            return ""
        strange = [label for label in reply.citations if label not in labels]
        if strange:
            return f"it cites {', '.join(strange[:3])}, and there is no such label"
        return "" if reply.citations else f"it cites nothing; without evidence the answer is {UNKNOWN!r}"

    return ask(model, messages, schema=Answer, max_tokens=TOKENS_AN_ANSWER, check=check)


def ask_check(messages: Sequence[Message], *, model: ChatModel) -> Check:
    """Return what the model says of an answer. Raises UnusableReply, LimitReached or ModelError."""
    return ask(model, messages, schema=Check, max_tokens=TOKENS_A_CHECK)
