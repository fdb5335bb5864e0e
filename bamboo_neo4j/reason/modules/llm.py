"""A chat model over facts and recalled passages, which it cites by label.

What it cites is checked afterwards against the graph like the claims of any module; a label that it was not
given stays in the output as it is, so that it counts as a claim that the graph does not hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bamboo_neo4j.errors import LimitReached, NothingRecalled
from bamboo_neo4j.models.chat import Message
from bamboo_neo4j.models.prompting import as_data, load_prompt
from bamboo_neo4j.models.structured import ask, schema_request
from bamboo_neo4j.reason.evidence import facts_for, recalled
from bamboo_neo4j.reason.limits import SPARE
from bamboo_neo4j.records import ReasoningOutput, UsedPair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.models.prompting import Mark
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import Fact, RecalledChunk

MOST_FACTS = 40
"""Facts that the model is shown, the strongest about what the question names."""
MOST_CHUNKS = 6
CHUNK_TOKENS = 2_400
"""Tokens of all passages together."""
REPLY_TOKENS = 800
LABEL_TOKENS = 4
"""Tokens of a label before a piece of evidence."""
MARK: Mark = "evidence"
"""One mark for facts and passages alike, so that neither can close that of the other."""

_Text = Annotated[str, Field(max_length=1_000)]
_Label = Annotated[str, Field(max_length=40)]


class CitedPair(BaseModel):
    """Two names that a passage holds."""

    source: Annotated[str, Field(min_length=1, max_length=200)]
    target: Annotated[str, Field(min_length=1, max_length=200)]
    passage: _Label


class Reasoning(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(allow_inf_nan=False)

    answerable: bool
    steps: list[_Text] = Field(default_factory=list, max_length=12)
    conclusion: Annotated[str, Field(max_length=2_000)] = ""
    confidence: float = Field(default=0.0, ge=0, le=1)
    stance: float | None = Field(default=None, ge=-1, le=1)
    facts: list[_Label] = Field(default_factory=list, max_length=MOST_FACTS)
    pairs: list[CitedPair] = Field(default_factory=list, max_length=40)

    @field_validator("steps", "facts", mode="before")
    @classmethod
    def _one(cls, value: object) -> object:
        """Take a single string for a list of one, which small models write."""
        return [value] if isinstance(value, str) and value.strip() else value


class ModelReasoning:
    """The module `llm`: a chat model over what the memory recalls and the facts about it."""

    name = "llm"
    description = (
        "A language model over facts and passages: open questions, analysis, explanation, comparison, "
        "why and how, what follows, risks and prospects."
    )

    def __init__(
        self,
        model: ChatModel,
        *,
        words: Normaliser,
        count: Callable[[str], int] | None = None,
        window: int = 8192,
    ) -> None:
        """Reason by `model`, which reads and writes `window` tokens at once, as `count` counts them."""
        self._model = model
        self._words = words
        self._count = count or (lambda text: len(text.encode()) // 3)
        self._window = window
        self._prompt = load_prompt("reason")

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return what the model concludes from the facts and the passages.

        Raises:
            NothingRecalled: there is no evidence, or the model finds that it does not settle the question.
            ModelError: the service failed; UnusableReply where no reply was usable.

        """
        recall = recalled(question, memory, limit=MOST_CHUNKS, tokens=CHUNK_TOKENS)
        facts = facts_for(question, memory, recall=recall, words=self._words, limit=MOST_FACTS)
        if not facts and not (recall and recall.chunks):
            raise NothingRecalled("the memory holds no fact and no passage about this question")
        asked = f"Question: {as_data(question, mark='question')}"
        shown = self._fit(facts, recall.chunks if recall else (), asked)
        request = f"{shown.text()}\n\n{asked}"
        reply = ask(
            self._model,
            (Message("system", self._prompt), Message("user", request)),
            schema=Reasoning,
            max_tokens=REPLY_TOKENS,
            check=_fault,
        )
        if not reply.answerable:
            raise NothingRecalled("the model finds that the evidence does not settle the question")
        return self._output(reply, shown)

    def _fit(self, facts: Sequence[Fact], chunks: Sequence[RecalledChunk], asked: str) -> Shown:
        """Return as much of the evidence as fits beside the instructions, the question and the reply.

        The strongest comes first; facts take half of the room at most where there are passages.
        """
        fixed = sum(self._count(text) for text in (self._prompt, asked, schema_request(Reasoning)))
        room = int((self._window - REPLY_TOKENS) / SPARE) - fixed
        kept = self._within([_fact_line(fact) for fact in facts], room // 2 if chunks else room)
        room -= sum(self._count(_fact_line(fact)) for fact in facts[:kept])
        passages = self._within([_chunk_line(chunk) for chunk in chunks], room)
        if not kept and not passages:
            raise LimitReached(
                f"the question leaves no room for evidence in the model's window of {self._window:,} tokens",
                hint="ask a shorter one, or set BAMBOO_MODEL_WINDOW if the model reads more",
            )
        left_out = len(facts) + len(chunks) - kept - passages
        return Shown(facts[:kept], chunks[:passages], left_out=left_out)

    def _within(self, lines: Sequence[str], room: int) -> int:
        """Return how many of the lines, from the first on, fit into so many tokens."""
        for number, line in enumerate(lines):
            room -= self._count(line) + LABEL_TOKENS
            if room < 0:
                return number
        return len(lines)

    def _output(self, reply: Reasoning, shown: Shown) -> ReasoningOutput:
        pairs = [UsedPair(pair.source, pair.target, shown.chunk(pair.passage)) for pair in reply.pairs]
        return ReasoningOutput(
            module=self.name,
            conclusion=" ".join(reply.conclusion.split()),
            confidence=reply.confidence,
            path=tuple(" ".join(step.split()) for step in reply.steps if step.strip()),
            facts=tuple(dict.fromkeys(shown.fact(label) for label in reply.facts)),
            pairs=tuple(dict.fromkeys(pairs)),
            chunks=tuple(dict.fromkeys(pair.chunk for pair in pairs)),
            metrics=(
                ("facts shown", len(shown.facts)),
                ("passages shown", len(shown.chunks)),
                ("left out for want of room", shown.left_out),
            ),
            stance=reply.stance,
        )


class Shown:
    """Facts and passages under the labels that the model sees."""

    def __init__(self, facts: Sequence[Fact], chunks: Sequence[RecalledChunk], *, left_out: int = 0) -> None:
        self.left_out = left_out
        self.facts: Mapping[str, Fact] = {f"F{i}": fact for i, fact in enumerate(facts, 1)}
        self.chunks: Mapping[str, RecalledChunk] = {f"C{i}": chunk for i, chunk in enumerate(chunks, 1)}

    def text(self) -> str:
        """Return all of it as delimited data, labels outside the marks."""
        facts = [f"{label} {_fact_line(fact)}" for label, fact in self.facts.items()]
        chunks = [f"{label}: {_chunk_line(chunk)}" for label, chunk in self.chunks.items()]
        return "\n".join([*facts, *chunks])

    def fact(self, label: str) -> str:
        """Return the id of the fact with this label; a label that is not known stays as it is."""
        label = label.strip(" []().")
        return self.facts[label.upper()].id if label.upper() in self.facts else label

    def chunk(self, label: str) -> str:
        """Return the id of the passage with this label; a label that is not known stays as it is."""
        label = label.strip(" []().")
        return self.chunks[label.upper()].id if label.upper() in self.chunks else label


def _fact_line(fact: Fact) -> str:
    return f"({fact.strength:.2f}): {as_data(fact.stated, mark=MARK)}"


def _chunk_line(chunk: RecalledChunk) -> str:
    return as_data(chunk.text, mark=MARK)


def _fault(reply: Reasoning) -> str:
    """Return what is wrong with a reply that fits the schema."""
    if reply.answerable and not reply.conclusion.strip():
        return "its conclusion is empty though the question is answerable"
    return ""
