"""The mind map: a question taken apart top-down, before anything is looked up (CogGRAG, arXiv 2503.06567).

A node is m = (q, t, s): its question, its level, and its status, Continue or End. One call takes apart one
node that is Continue, breadth first; the map is done when all leaves are End. A plan is only a help: a
question without a usable one is answered as it is.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema, field_validator, model_validator

from bamboo_neo4j.errors import UnusableReply
from bamboo_neo4j.models.chat import Message
from bamboo_neo4j.models.prompting import as_data, load_prompt
from bamboo_neo4j.models.structured import ask
from bamboo_neo4j.reason.asked import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import Ending
    from bamboo_neo4j.reason.limits import Limits

MOST_STEPS = 6
"""Parts of one question; a longer plan is asked for again."""
LONGEST_STEP = 400
"""Characters of a part's question."""
TOKENS_A_PLAN = 600

CAPITAL_NOUNS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital, so that a capital says nothing of a name."""

_PATTERN = re.compile(r"\[[A-Z]\]")

REFERENCE = re.compile(r"#(\d+(?:\.\d+)*)(?!\w)")
"""A reference to the answer of another question: #1.2, or within one plan #1."""


def literal(text: str) -> str:
    """Return a question of a user's own with no mark in it that reads as a reference: `issue # 99`."""
    return REFERENCE.sub(r"# \1", text)


class Step(BaseModel):
    """One part of a question as a model plans it."""

    question: Annotated[str, WithJsonSchema({"type": "string", "maxLength": LONGEST_STEP})]
    status: Literal["Continue", "End"] = "End"

    @model_validator(mode="before")
    @classmethod
    def _bare_question(cls, value: object) -> object:
        return {"question": value} if isinstance(value, str) else value

    @field_validator("question")
    @classmethod
    def _one_line(cls, value: str) -> str:
        line = " ".join(value.split())
        if not line or len(line) > LONGEST_STEP:
            raise ValueError(f"a question of 1 to {LONGEST_STEP} characters is wanted")
        return line

    @field_validator("status", mode="before")
    @classmethod
    def _word(cls, value: object) -> object:
        return "Continue" if isinstance(value, str) and value.strip().lower() == "continue" else "End"


class Plan(BaseModel):
    """What the model is asked for: the parts of one question, none where it needs no other."""

    steps: list[Step] = Field(json_schema_extra={"maxItems": MOST_STEPS})

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: object) -> object:
        return {"steps": value} if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned map: its questions, the root first, each before its parts; and what went otherwise."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()


def single(text: str, *, map_id: str, ending: Ending = "direct") -> Question:
    """Return the root of a map: the question itself, answered as it is."""
    return Question(
        id=f"{map_id}:1", number="1", text=text, level=0, order=1, status="End", ending=ending, asked=text
    )


def plan_map(text: str, *, map_id: str, model: ChatModel, normaliser: Normaliser, limits: Limits) -> Planned:
    """Plan the whole map of a question, in one call a node that is Continue.

    Raises LimitReached at a limit of calls, tokens or seconds, ModelError where the service fails. Depth and
    number of nodes only end the planning.
    """
    root = replace(single(text, map_id=map_id), status="Continue", ending="")
    planner = _Planner(model, normaliser, limits)
    planner.grow(root)
    return Planned(tuple(_depth_first(root.id, planner.nodes)), tuple(planner.notes))


class _Planner:
    """Grows a map breadth first, so that a limit of nodes cuts what is deepest."""

    def __init__(self, model: ChatModel, normaliser: Normaliser, limits: Limits) -> None:
        self._model = model
        self._normaliser = normaliser
        self._limits = limits
        self.nodes: dict[str, Question] = {}
        self.notes: list[str] = []
        self._seen: set[str] = set()

    def grow(self, root: Question) -> None:
        self.nodes[root.id] = root
        self._seen.add(self._sense(root.text))
        waiting = deque([root])
        while waiting:
            node = waiting.popleft()
            parts, ending = self._parts(node)
            if ending:
                self.nodes[node.id] = replace(node, status="End", ending=ending)
                continue
            for part in parts:
                self.nodes[part.id] = part
                if part.status == "Continue":
                    waiting.append(part)

    def _parts(self, node: Question) -> tuple[list[Question], Ending]:
        """Return the parts of a node, or none and why its branch ends."""
        if node.level >= self._limits.depth:
            return [], "depth"
        if len(self.nodes) >= self._limits.nodes:
            return [], "nodes"
        plan = self._plan(node)
        if plan is None or not plan.steps:
            return [], "unplanned" if plan is None else "direct"
        steps = self._without_copies(node, plan.steps)
        if not steps or len(self.nodes) + len(steps) > self._limits.nodes:
            return [], "nodes" if steps else "copied"
        return [self._part(node, order, step) for order, step in enumerate(steps, start=1)], ""

    def _plan(self, node: Question) -> Plan | None:
        """Ask for the parts of a node; None where no reply was usable."""
        try:
            return take_apart(node, model=self._model, normaliser=self._normaliser)
        except UnusableReply as unusable:
            if unusable.reason == "too long":
                raise
            self.notes.append(f"question {node.number} was not taken apart: {unusable.message}")
            return None

    def _without_copies(self, node: Question, steps: Sequence[Step]) -> list[Step]:
        """Leave out copies of the question or of one above it, and what refers to them; count anew."""
        above = {self._sense(one.text) for one in self._line(node)}
        place: dict[str, str] = {}
        kept: list[Step] = []
        for order, step in enumerate(steps, start=1):
            references = [found for found in REFERENCE.findall(step.question) if "." not in found]
            if self._sense(step.question) in above or any(one not in place for one in references):
                continue
            text = REFERENCE.sub(lambda found: f"#{place.get(found[1], found[1])}", step.question)
            kept.append(Step(question=text, status=step.status))
            place[str(order)] = str(len(kept))
        return kept

    def _line(self, node: Question) -> Iterator[Question]:
        """Yield a node and those above it."""
        at: Question | None = node
        while at is not None:
            yield at
            at = self.nodes[at.parent] if at.parent is not None else None

    def _part(self, parent: Question, order: int, step: Step) -> Question:
        """Return a step as a node: its references name places in the map, and a repeated one ends."""
        text = REFERENCE.sub(
            lambda found: found[0] if "." in found[1] else f"#{parent.number}.{found[1]}", step.question
        )
        sense = self._sense(text)
        repeated = sense in self._seen
        self._seen.add(sense)
        status: Literal["Continue", "End"] = "End" if repeated else step.status
        ending: Ending = "repeated" if repeated else ("direct" if status == "End" else "")
        map_id = parent.id.rpartition(":")[0]
        number = f"{parent.number}.{order}"
        return Question(
            id=f"{map_id}:{number}",
            number=number,
            text=text,
            level=parent.level + 1,
            order=order,
            status=status,
            ending=ending,
            parent=parent.id,
            asked=text,
        )

    def _sense(self, text: str) -> str:
        """Return what two questions are told apart by: their words, however they are written."""
        return same_question(text, self._normaliser)


def same_question(text: str, normaliser: Normaliser) -> str:
    """Return the stems of a question in order, its references as they stand: equal for the same question."""
    marked = REFERENCE.sub(lambda found: f" ref{found[1].replace('.', 'x')} ", text)
    return " ".join(token.stem for token in normaliser.tokens(marked))


def take_apart(node: Question, *, model: ChatModel, normaliser: Normaliser) -> Plan:
    """Ask the model for the parts of one question.

    A plan that refers to what does not come before, or that names what the question does not (a guessed
    answer, a pattern of the prompt), is asked for again. Raises UnusableReply, LimitReached or ModelError.
    """
    turns = (
        Message("system", load_prompt("decompose")),
        Message("user", f"{as_data(node.text, mark='question')}\nReply:"),
    )

    def check(plan: Plan) -> str:
        if len(plan.steps) > MOST_STEPS:
            return f"it has {len(plan.steps)} steps, and {MOST_STEPS} is the most"
        faults = (_fault(step, order, node, normaliser) for order, step in enumerate(plan.steps, start=1))
        return next(filter(None, faults), "")

    return ask(model, turns, schema=Plan, max_tokens=TOKENS_A_PLAN, check=check)


def _fault(step: Step, order: int, node: Question, normaliser: Normaliser) -> str:
    """Return what is wrong with a step of a plan, or ""."""
    known = REFERENCE.findall(node.text)
    for reference in REFERENCE.findall(step.question):
        early = "." not in reference and 0 < int(reference) < order
        if not early and reference not in known:
            return f"step {order} refers to #{reference}, which does not come before it"
    strange = _strange_name(step.question, node.text, normaliser)
    return f"step {order} names {strange!r}, which the question does not" if strange else ""


def _strange_name(text: str, question: str, normaliser: Normaliser) -> str:
    """Return a name in `text` that is not in `question`, or a letter in brackets out of the prompt; or ""."""
    pattern = _PATTERN.search(text)
    if pattern and pattern[0] not in question:
        return pattern[0]
    if normaliser.language in CAPITAL_NOUNS:
        return ""
    asked = {token.stem for token in normaliser.tokens(question)}
    for token in normaliser.tokens(REFERENCE.sub(" ", text))[1:]:
        little = normaliser.is_function_word(token.folded) or normaliser.is_generic(token.stem)
        if token.text[0].isupper() and not little and token.stem not in asked:
            return token.text
    return ""


def _depth_first(root: str, nodes: dict[str, Question]) -> Iterator[Question]:
    yield nodes[root]
    for one in [node for node in nodes.values() if node.parent == root]:
        yield from _depth_first(one.id, nodes)
