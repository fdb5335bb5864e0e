"""The four validators in their model form: one call each, with a prompt of its own.

A model can lower what the graph and the limits say, never raise it: grounding is at most the share of claims
that the graph holds, and an answer that holds a forbidden phrase is not aligned, whatever the model says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from bamboo_neo4j.learn.validators import Case, broken_limit, grounding
from bamboo_neo4j.models.chat import Message
from bamboo_neo4j.models.prompting import as_data, load_prompt
from bamboo_neo4j.models.structured import ask
from bamboo_neo4j.records import Score, ScoreName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.learn.validators import Tools, Validators
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.models.prompting import Mark

REPLY_TOKENS = 300
MOST_EVIDENCE = 40
"""Facts, passages and earlier answers that the model is shown of each."""
LONGEST = 1_500
"""Characters of each that it is shown."""
MARK: Mark = "data"


class Judgement(BaseModel):
    """What the model is asked for; the reason comes first, so that the score follows from it."""

    model_config = ConfigDict(allow_inf_nan=False)

    reason: Annotated[str, Field(min_length=1, max_length=1_000)]
    score: float = Field(ge=0, le=1)


def by_model(model: ChatModel, tools: Tools) -> Validators:
    """Return the four validators in their model form; grounding and limits are checked without it first."""

    def logical(case: Case) -> Score:
        return _judged(model, "logical", case)

    def grounded(case: Case) -> Score:
        held = grounding(case, check=tools.check)
        return _lower(held, _judged(model, "grounding", case)) if held.value else held

    def novelty(case: Case) -> Score:
        return _judged(model, "novelty", case)

    def aligned(case: Case) -> Score:
        broken = broken_limit(case, words=tools.words)
        return Score("alignment", 0.0, broken) if broken else _judged(model, "alignment", case)

    return {"logical": logical, "grounding": grounded, "novelty": novelty, "alignment": aligned}


def _lower(one: Score, other: Score) -> Score:
    lower = min(one.value or 0.0, other.value or 0.0)
    return Score(one.name, lower, f"{one.reason}; {other.reason}")


def _judged(model: ChatModel, name: ScoreName, case: Case) -> Score:
    """Ask the model; raises ModelError where it fails, UnusableReply where it gives no usable judgement."""
    reply = ask(
        model,
        (Message("system", load_prompt(f"validate_{name}")), Message("user", "\n".join(_shown(name, case)))),
        schema=Judgement,
        max_tokens=REPLY_TOKENS,
    )
    return Score(name, reply.score, " ".join(reply.reason.split()))


def _shown(name: ScoreName, case: Case) -> Iterator[str]:
    """Yield what the model is shown: labels outside the marks, texts inside."""
    if name == "alignment":
        goals = case.goals.goals if case.goals else ("answer the question",)
        yield from (f"Goal: {_data(goal)}" for goal in goals)
        limits = case.goals.limits if case.goals else ()
        yield from (f"Limit: {_data(limit.limit)}" for limit in limits)
    else:
        yield from (f"Evidence: {_data(fact.stated)}" for fact in case.facts[:MOST_EVIDENCE])
        yield from (f"Evidence: {_data(text)}" for text in case.passages[:MOST_EVIDENCE])
    if name == "novelty":
        yield from (f"Earlier answer: {_data(text)}" for text in case.known[:MOST_EVIDENCE])
    yield f"Question: {_data(case.question)}"
    yield from (f"Step: {_data(step)}" for step in case.output.path[:MOST_EVIDENCE])
    yield f"Conclusion: {_data(case.output.conclusion)}"


def _data(text: str) -> str:
    return as_data(text[:LONGEST], mark=MARK)
