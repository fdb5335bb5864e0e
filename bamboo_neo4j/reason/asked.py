"""What asking gives: the mind map with its answers, verdicts and evidence, and what it took.

Records only; `memory.ask` returns an `Asked`, which is what is stored, shown and measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bamboo_neo4j.records import Fact, ReasoningOutput, RecalledChunk, UsedPair, Verdict

UNKNOWN = "I don't know"
"""The answer of an abstention."""

QuestionStatus = Literal["Continue", "End"]
"""Continue: it was taken apart. End: it is answered as it is (CogGRAG, the state s of a node)."""

Ending = Literal["", "direct", "depth", "nodes", "repeated", "copied", "unplanned"]
"""Why a question was not taken apart: "" if it was; direct: it needs no other answer; depth and nodes: a
limit; repeated: another question of the map is the same; copied: its parts would have been itself; unplanned:
the model gave no usable plan, or was not asked for one."""

QuestionVerdict = Literal["verified", "unverified", "rejected", "abstained", "open"]
"""verified: the second model found nothing wrong. unverified: it was not asked (--no-verify). rejected: it
found something wrong each time, and the answer was kept all the same (--rethink keep). abstained: "I don't
know". open: it was not come to (--plan, or a limit was reached before)."""

EvidenceKind = Literal["fact", "pair", "chunk"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer rests on: a fact, a sentence that holds a pair of tags, or a chunk.

    `label` is what models cite it by, the same in the whole map; `id` is that of the fact or chunk; `text`
    the fact in words or the best sentence of the chunk. `similarity` in [0, 1] is that to `key`, the closest
    key.
    """

    label: str
    kind: EvidenceKind
    id: str
    text: str
    similarity: float
    key: str
    document: str = ""
    title: str = ""
    pairs: tuple[UsedPair, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A node of a mind map: a question at a level, whether it was taken apart, and what became of it.

    `number` is its place: "1" the root, "1.2" its second part, which "#1.2" in the text of another one refers
    to. `text` is as planned, `asked` has the references filled. `parent` is an id, None at the root; `order`
    counts from 1 among its siblings. `reason` says why the verdict is what it is. `evidence` is what its
    answer cites, inherited from parts that it cites too; `against` is what says otherwise.
    """

    id: str
    number: str
    text: str
    level: int
    order: int
    status: QuestionStatus
    ending: Ending = ""
    parent: str | None = None
    asked: str = ""
    answer: str = ""
    verdict: QuestionVerdict = "open"
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    rethinks: int = 0

    @property
    def is_answered(self) -> bool:
        """Whether it has an answer that may be used."""
        return self.verdict in {"verified", "unverified", "rejected"}

    @property
    def chunks(self) -> tuple[str, ...]:
        """Ids of the chunks that its answer cites, each once."""
        return tuple(dict.fromkeys(one.id for one in self.evidence if one.kind != "fact"))

    @property
    def facts(self) -> tuple[str, ...]:
        """Ids of the facts that its answer cites, each once."""
        return tuple(dict.fromkeys(one.id for one in self.evidence if one.kind == "fact"))


@dataclass(frozen=True, slots=True)
class MindMap:
    """The questions of one question, the root first, each before its parts (depth first)."""

    id: str
    memory: str
    question: str
    created_at: str
    questions: tuple[Question, ...]

    @property
    def root(self) -> Question:
        """The question itself."""
        return self.questions[0]

    def parts(self, question: Question) -> tuple[Question, ...]:
        """Return the questions that one was taken apart into, in order."""
        return tuple(one for one in self.questions if one.parent == question.id)

    def with_answers(self, answered: Mapping[str, Question]) -> MindMap:
        """Return the map with the questions of `answered` (by id) in the place of those it had."""
        return replace(self, questions=tuple(answered.get(one.id, one) for one in self.questions))


@dataclass(frozen=True, slots=True)
class LocalKeys:
    """What to look for because of one question: entities, pairs of them, and triples with a relation."""

    number: str
    entities: tuple[str, ...]
    pairs: tuple[str, ...]
    triples: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All keys of the question, each once."""
        return tuple(dict.fromkeys((*self.triples, *self.pairs, *self.entities)))


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a whole map: those of each question, and what several questions share."""

    questions: tuple[LocalKeys, ...] = ()
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer took: calls and tokens of all models, replies from the cache, seconds, and look-ups.

    `retrievals` counts every look-up in the memory, the `second_lookups` for filled references among them.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    retrievals: int = 0
    second_lookups: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to a question, or why there is none.

    `answer` is "I don't know" where `abstained`, and `reason` says why; `limit` names the limit that was
    reached (calls, tokens, seconds), "" if none was. `chunks` and `facts` are what the answer cites;
    `against` what contradicts it. `output` is what the gate judges, `gate` its verdict, `episode` the id of
    what was learned; None where there is none. `truncated` names everything that was cut, `notes` what else
    went otherwise than planned. `model` and `verifier` are the names of the models.
    """

    question: str
    memory: str
    answer: str
    abstained: bool
    reason: str
    map: MindMap
    keys: Keys
    spent: Spent
    model: str
    verifier: str
    limit: str = ""
    chunks: tuple[RecalledChunk, ...] = ()
    facts: tuple[Fact, ...] = ()
    against: tuple[Evidence, ...] = ()
    unknown: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    output: ReasoningOutput | None = None
    gate: Verdict | None = None
    episode: str | None = None
