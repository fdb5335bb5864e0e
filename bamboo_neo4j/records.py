"""The frozen records that travel between rooms; no room keeps state in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["entity", "date", "phrase"]
Ranking = Literal["bamboo", "paper"]


# Memorise: documents -> pieces -> tagged chunks -> one transaction.


@dataclass(frozen=True, slots=True)
class Document:
    """A source as it was loaded: its text decoded, without BOM and NUL.

    `id` is the caller's or the canonical URI of the file; `warnings` are sentences for the user, such as
    a guessed encoding.
    """

    id: str
    uri: str
    title: str
    text: str
    media_type: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text, as it was cut: `text == document.text[start:start + len(text)]`."""

    text: str
    start: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of one chunk.

    `key` is what is written and matched on (normalised and stemmed), `name` the folded spelling, `display`
    the original. `salience` is in (0, 1], 1 for the chunk's strongest tag; `about` marks a primary tag.
    """

    key: str
    name: str
    display: str
    kind: Kind
    salience: float
    about: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk ready to be written: `terms` is a string of normalised terms, `length` their number.

    `recipe` is a digest of what decided its tags beside its text: tagger, word rules, the document's title.
    """

    id: str
    ordinal: int
    text: str
    tokens: int
    terms: str
    length: int
    tags: tuple[Tag, ...]
    recipe: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One input that could not be memorised, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """What an ingest did. Documents that were known and unchanged are counted in `unchanged`."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: tuple[Failure, ...] = ()
    failed: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    chunks: int = 0
    tokens: int = 0
    tags: int = 0
    pairs: int = 0
    calls: int = 0
    milliseconds: float = 0.0


# Recall: a question -> cues -> associations and chunks.


@dataclass(frozen=True, slots=True)
class Cue:
    """What the memory knows of a question: a tag (by name) or a single word (by stem), and its text there."""

    text: str
    tag: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Association:
    """A first- or second-degree neighbour of a cue, reached `through` a first-degree tag when degree is 2.

    `weight` is the number of chunks that hold both tags of the edge, `strength` in [0, 1] that of the present
    cycle. `rank` is max(weight, 1) × strength / 0.5 as of the last sweep; `score` is what they are sorted by:
    that over the number of chunks that hold either tag, and half of it at the second degree.
    """

    cue: str
    tag: str
    through: str | None
    degree: int
    weight: int
    strength: float
    rank: float
    score: float


@dataclass(frozen=True, slots=True)
class Via:
    """An edge of the graph that led to a chunk."""

    source: str
    target: str
    degree: int
    weight: int
    strength: float


@dataclass(frozen=True, slots=True)
class RecalledChunk:
    """A chunk of evidence: its text and the edges that led to it; `score` compares chunks of one recall."""

    id: str
    document: str
    title: str
    ordinal: int
    text: str
    tokens: int
    score: float
    via: tuple[Via, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of `recall`: fields as in its JSON. `truncated` names everything that was cut.

    A sentence each: words of the question, tags that were not looked at, chunks that did not fit into the
    tokens, and how many of those found lie beyond the limit; empty where nothing was cut.
    """

    question: str
    memory: str
    ranking: Ranking
    cues: tuple[Cue, ...]
    unknown: tuple[str, ...]
    associations: tuple[Association, ...]
    chunks: tuple[RecalledChunk, ...]
    tokens: int
    truncated: tuple[str, ...]
    statements: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken invariant that `check` found, and where."""

    invariant: str
    where: str
    expected: str
    found: str


# Facts, reasoning and what is learned from it.


@dataclass(frozen=True, slots=True)
class Fact:
    """A stated triple between two tags (by name), as of the memory's current cycle.

    `confidence` and `strength` are in [0, 1]; `valid_from` and `valid_to` are dates or times in ISO 8601,
    None where open; `source` says who stated it. `subject_text` and `object_text` are spelled as stated, for
    people and for numbers: a tag's name has no sign and no decimal point.
    """

    id: str
    subject: str
    predicate: str
    object: str
    confidence: float
    strength: float
    source: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    activations: int = 0
    subject_text: str = ""
    object_text: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """Subject and object as they were written, else as the tags' names."""
        return self.subject_text or self.subject, self.object_text or self.object

    @property
    def stated(self) -> str:
        """The fact as a sentence without a point."""
        subject, target = self.ends
        return f"{subject} {self.predicate} {target}"


@dataclass(frozen=True, slots=True)
class FactsLoaded:
    """What loading facts did; `failed` names each line that is no fact, `warnings` what was left out."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UsedPair:
    """Two tags (by name) that a conclusion joins because the chunk with the id `chunk` holds both."""

    source: str
    target: str
    chunk: str


@dataclass(frozen=True, slots=True)
class ReasoningOutput:
    """What a reasoning module concludes, and exactly what it used: the ids of facts and chunks, and pairs.

    `path` are its steps in words, `confidence` is in [0, 1], `metrics` what it counted or computed. Facts and
    pairs are the claims that validators check; one that the graph does not hold lowers grounding. `stance` is
    in [-1, 1]: how far it speaks for what is asked about (above 0) or against it; None where it does not.
    """

    module: str
    conclusion: str
    confidence: float
    path: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    pairs: tuple[UsedPair, ...] = ()
    chunks: tuple[str, ...] = ()
    metrics: tuple[tuple[str, float | int | str], ...] = ()
    stance: float | None = None


ScoreName = Literal["logical", "grounding", "novelty", "alignment"]
GateName = Literal["quality", "paper"]


@dataclass(frozen=True, slots=True)
class Score:
    """What one validator says: `value` is in [0, 1], None where the validator failed; `reason` in words."""

    name: ScoreName
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of an answer: whether it passed, its trust in [0, 1], and why."""

    passed: bool
    gate: GateName
    trust: float
    scores: tuple[Score, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleChoice:
    """A reasoning module as the orchestrator saw it: its similarity to the question, and whether it ran."""

    module: str
    description: str
    score: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class ModuleSilence:
    """A module that ran and concluded nothing.

    `kind` is nothing (it has nothing to say), failed, model (its model failed) or limit (it reached one).
    """

    module: str
    kind: Literal["nothing", "failed", "model", "limit"]
    reason: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What modules contradict each other in, with each side's modules and what they say."""

    about: str
    sides: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one module concluded, and the gate's verdict on it."""

    output: ReasoningOutput
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Reasoned:
    """The answer of `reason`: fields as in its JSON.

    `conclusions` are the modules' own, each with its verdict; `answer` joins them and `verdict` is on that,
    which is what was learned from (`episode`, None where nothing was recorded). `facts` are those used.
    """

    question: str
    memory: str
    as_of: str
    modules: tuple[ModuleChoice, ...]
    conclusions: tuple[Judged, ...]
    silent: tuple[ModuleSilence, ...]
    disagreements: tuple[Disagreement, ...]
    answer: ReasoningOutput
    verdict: Verdict
    facts: tuple[Fact, ...]
    episode: Episode | None
    milliseconds: float


@dataclass(frozen=True, slots=True)
class EdgeState:
    """What is learned on an edge; all None where it was never used."""

    strength: float | None = None
    used_cycle: int | None = None
    activations: int | None = None


@dataclass(frozen=True, slots=True)
class UsedEdge:
    """An edge that an episode used: CO_OCCURS between two tags, or the fact with the id `fact`.

    `share` is in (0, 1]: how many of the cited chunks used it, relative to the most used one. With `together`
    it is no edge of the path but two tags that were used together: no edge is between them, or one that grew
    so. `joint_before` and `joint_after` count how many episodes had used them together; None where an edge
    was there.
    """

    source: str
    target: str
    share: float
    fact: str | None = None
    before: EdgeState | None = None
    after: EdgeState | None = None
    together: bool = False
    joint_before: int | None = None
    joint_after: int | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One question reasoned about: its answer, scores, evidence and effect on the graph.

    `status` is validated (waits for the sweep), learned, rejected (did not pass the gate) or undone; `cycle`
    is the memory's cycle that it began, None while it waits.
    """

    id: str
    question: str
    answer: str
    status: str
    cycle: int | None
    trust: float
    scores: tuple[Score, ...]
    edges: tuple[UsedEdge, ...]
    chunks: tuple[str, ...]
    created_at: str
    modules: tuple[str, ...] = ()
