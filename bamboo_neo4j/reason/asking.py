"""Asking: plan the map, look its keys up once, answer it bottom-up; an `Asked` whatever comes of it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypedDict

from bamboo_neo4j.errors import LimitReached, UsageError
from bamboo_neo4j.models.chat import Usage
from bamboo_neo4j.models.prompting import readable
from bamboo_neo4j.reason import limits as bounds
from bamboo_neo4j.reason.answering import Answerer, Models, Ways
from bamboo_neo4j.reason.asked import UNKNOWN, Asked, Keys, MindMap, Spent
from bamboo_neo4j.reason.concluding import cited, conclude
from bamboo_neo4j.reason.keys import find_keys, recall_text
from bamboo_neo4j.reason.limits import Budget, LimitedChat, Limits
from bamboo_neo4j.reason.mindmap import literal, plan_map, single
from bamboo_neo4j.reason.retrieval import Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import Question
    from bamboo_neo4j.reason.retrieval import Source
    from bamboo_neo4j.reason.similarity import Similarity

Rethink = Literal["again", "keep"]

MOST_OF_WINDOW = 0.4
"""Share of the model's window that a question may take; the rest is for instructions, evidence and answer."""


class AskOptions(TypedDict, total=False):
    """The options of `Memory.ask`."""

    depth: int
    decompose: bool
    use_global: bool
    verify: bool
    rethink: Rethink
    rethinks: int
    second_lookup: bool
    max_nodes: int
    max_calls: int
    max_tokens: int
    max_seconds: float
    plan: bool
    model: str | ChatModel | BaseChatModel | None
    verifier: str | ChatModel | BaseChatModel | None
    embeddings: Embeddings | None
    cache: bool


class _Taken(TypedDict):
    """What calls of models took, as `Spent` has it."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Way:
    """How one question is reasoned about: the paper's three parts, each to be switched off, and more.

    `decompose`: take the question apart. `use_global`: use keys that its parts share. `verify`: have answers
    checked. `rethink`: what follows a second faulty answer, "I don't know" (again) or that answer (keep).
    `plan`: plan only. Raises UsageError for what cannot be meant.
    """

    limits: Limits
    decompose: bool = True
    use_global: bool = True
    verify: bool = True
    rethink: Rethink = "again"
    rethinks: int = 1
    second_lookup: bool = True
    plan: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.rethink not in {"again", "keep"}:
            raise UsageError(f"rethink is {self.rethink!r}", hint="use again or keep")
        if self.rethinks < 0:
            raise UsageError(f"rethinks is {self.rethinks!r}", hint="use 0 or more")


def way_of(options: AskOptions, *, window: int) -> Way:
    """Return the way that options name, with the defaults for the others."""
    return Way(
        limits=Limits(
            depth=options.get("depth", bounds.DEPTH),
            nodes=options.get("max_nodes", bounds.MOST_NODES),
            calls=options.get("max_calls", bounds.MOST_CALLS),
            tokens=options.get("max_tokens", bounds.MOST_TOKENS),
            seconds=options.get("max_seconds", bounds.MOST_SECONDS),
            window=window,
        ),
        decompose=options.get("decompose", True),
        use_global=options.get("use_global", True),
        verify=options.get("verify", True),
        rethink=options.get("rethink", "again"),
        rethinks=options.get("rethinks", 1),
        second_lookup=options.get("second_lookup", True),
        plan=options.get("plan", False),
    )


@dataclass(frozen=True, slots=True)
class Tools:
    """What reasoning needs of its surroundings: the models, the memory, its words, a similarity, a counter.

    `hits` counts the replies that came from a cache.
    """

    model: ChatModel
    verifier: ChatModel
    source: Source
    words: Normaliser
    similarity: Similarity
    count: Callable[[str], int]
    hits: Callable[[], int]


class Rest:
    """What an answer has left of its limits, to judge it with; `chat` is the model that checks."""

    def __init__(self, spent: Spent, limits: Limits, tools: Tools) -> None:
        usage = Usage(spent.calls, spent.prompt_tokens, spent.completion_tokens)
        self._spent = spent
        self._budget = Budget(limits, usage, seconds=spent.seconds)
        self.tools = tools
        self.chat = LimitedChat(tools.verifier, self._budget, count=tools.count)

    @property
    def spent(self) -> Spent:
        """What the answer took, with what was taken to judge it."""
        return replace(self._spent, **_taken(self._budget, self.tools))


@dataclass(slots=True)
class _Course:
    """How far one question has come."""

    map: MindMap
    budget: Budget
    pool: Pool
    keys: Keys = field(default_factory=Keys)
    answerer: Answerer | None = None
    notes: tuple[str, ...] = ()
    limit: str = ""
    stopped: str = ""


def ask(question: str, *, memory: str, way: Way, tools: Tools) -> Asked:
    """Answer a question, or say why not; a limit that is reached ends in an abstention that names it.

    Raises:
        UsageError: the question is empty, or longer than the model's window takes.
        ModelError: a service failed, or refused its key.

    """
    text = " ".join(readable(question).split())
    _require_askable(text, way, tools)
    created = datetime.now(UTC).isoformat()
    map_id = f"{memory}:{secrets.token_hex(16)}"
    root = single(literal(text), map_id=map_id, ending="direct" if way.decompose else "unplanned")
    course = _Course(
        map=MindMap(map_id, memory, text, created, (root,)),
        budget=Budget(way.limits),
        pool=Pool(tools.source, similarity=tools.similarity, words=tools.words),
    )
    try:
        _go(course, way, tools)
    except LimitReached as reached:
        course.limit, course.stopped = course.budget.reached or "", reached.message
    return _asked(course, way, tools)


def require_words(question: str) -> None:
    """Raise UsageError for a question without a letter or a digit."""
    if not any(character.isalnum() for character in question):
        raise UsageError(f"{question.strip()[:80]!r} asks nothing", hint="ask a question in words")


def _require_askable(text: str, way: Way, tools: Tools) -> None:
    require_words(text)
    if not tools.words.key(text):
        raise UsageError(f"{text[:80]!r} asks nothing", hint="ask a question in words")
    size, most = tools.count(text), int(MOST_OF_WINDOW * way.limits.window)
    if size > most:
        raise UsageError(
            f"the question is {size:,} tokens long, and {most:,} is the most in a window of "
            f"{way.limits.window:,}",
            hint="ask a shorter question, or set BAMBOO_MODEL_WINDOW if the model reads more",
        )


def _go(course: _Course, way: Way, tools: Tools) -> None:
    """Go as far as the limits let: plan, look up, answer."""
    model = LimitedChat(tools.model, course.budget, count=tools.count)
    if way.decompose:
        _plan(course, way, tools, model)
    course.keys = find_keys(course.map.questions, normaliser=tools.words, with_shared=way.use_global)
    if way.plan:
        return
    _look_up(course, way, tools)
    checking = LimitedChat(tools.verifier, course.budget, count=tools.count) if way.verify else None
    course.answerer = Answerer(
        Models(model, checking),
        course.pool,
        ways=Ways(way.limits.window, tools.count, way.rethinks, way.rethink == "keep", way.second_lookup),
        words=tools.words,
        shared=course.keys.shared,
    )
    course.answerer.answer_all(course.map.questions)


def _plan(course: _Course, way: Way, tools: Tools, model: LimitedChat) -> None:
    planned = plan_map(
        course.map.root.text, map_id=course.map.id, model=model, normaliser=tools.words, limits=way.limits
    )
    course.map = MindMap(
        course.map.id, course.map.memory, course.map.question, course.map.created_at, planned.questions
    )
    course.notes = planned.notes


def _look_up(course: _Course, way: Way, tools: Tools) -> None:
    """Look the union of all keys up, once; what the memory knows of it are keys, too."""
    questions = course.map.questions
    entities = [name for one in course.keys.questions for name in one.entities]
    course.pool.look_up(recall_text(questions, course.keys, tools.words), entities)
    course.keys = find_keys(
        questions, normaliser=tools.words, cues=course.pool.cues, with_shared=way.use_global
    )


def _asked(course: _Course, way: Way, tools: Tools) -> Asked:
    answered = course.answerer.answered if course.answerer else {}
    map_ = course.map.with_answers({one.id: one for one in answered.values()})
    root = map_.root
    has_answer = root.is_answered and not course.limit
    chunks, facts = cited(map_, course.pool) if has_answer else ((), ())
    return Asked(
        question=map_.question,
        memory=map_.memory,
        answer=root.answer if has_answer else ("" if way.plan else UNKNOWN),
        abstained=not has_answer and not way.plan,
        reason=course.stopped or ("planned only" if way.plan else _reason(root, course.pool)),
        map=map_,
        keys=course.keys,
        spent=_spent(course, tools),
        model=tools.model.name,
        verifier=tools.verifier.name if way.verify else "",
        limit=course.limit,
        chunks=chunks,
        facts=facts,
        against=root.against,
        unknown=course.pool.unknown,
        truncated=_truncated(course),
        notes=course.notes,
        output=conclude(map_, course.pool, tools.words) if has_answer else None,
    )


def _reason(root: Question, pool: Pool) -> str:
    """Return why the root has its answer or none; where nothing was recalled, what the memory said."""
    if root.verdict == "abstained" and not pool.candidates and pool.nothing:
        return pool.nothing
    return root.reason


def _truncated(course: _Course) -> tuple[str, ...]:
    cut = course.answerer.cut if course.answerer else 0
    if not cut:
        return course.pool.truncated
    many = "passages were" if cut > 1 else "passage was"
    window = course.budget.limits.window
    said = f"{cut} {many} cut or left out to fit the model's window of {window:,} tokens"
    return (*course.pool.truncated, said)


def _spent(course: _Course, tools: Tools) -> Spent:
    return Spent(
        **_taken(course.budget, tools),
        retrievals=course.pool.retrievals,
        second_lookups=course.answerer.second_lookups if course.answerer else 0,
    )


def _taken(budget: Budget, tools: Tools) -> _Taken:
    usage = budget.usage
    return {
        "calls": usage.calls,
        "cached": tools.hits(),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "seconds": round(budget.seconds, 3),
    }
