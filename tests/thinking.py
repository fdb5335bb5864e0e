"""A scripted model for `ask`: it tells the three prompts apart and replies to each by question.

    Brain(plans={question: [part, part]}, answers={part: says("Ada Kern", "performed")})

A reply may be anything that `tests.scripted` takes as a step, or a function of the request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.memorise.tokens import count_tokens
from bamboo_neo4j.models.chat import open_chat, open_verifier
from bamboo_neo4j.models.prompting import load_prompt
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.reason.asking import AskOptions, Tools, ask, way_of
from bamboo_neo4j.reason.retrieval import Source
from bamboo_neo4j.reason.similarity import lexical, semantic
from bamboo_neo4j.records import Recall, RecalledChunk
from bamboo_neo4j.settings import read_settings
from tests.scripted import Completion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Unpack

    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.records import Fact
    from tests.scripted import Request, ScriptedServer

WORDS = normaliser("en")
Kind = Literal["decompose", "answer", "verify"]
KINDS: tuple[Kind, ...] = ("decompose", "answer", "verify")
UNKNOWN = {"why": "", "answer": "I don't know", "citations": [], "against": []}
FINE = {"reason": "it says so", "grounded": True, "consistent": True, "logical": True}
WRONG = {"reason": "it does not say so", "grounded": False, "consistent": True, "logical": True}


def kind_of(request: Request) -> Kind:
    """Return which prompt a request holds."""
    system = request.messages[0]["content"]
    return next(kind for kind in KINDS if system.startswith(load_prompt(kind)))


def question_of(request: Request) -> str:
    """Return the question of a request."""
    user = next(turn["content"] for turn in request.messages if turn["role"] == "user")
    found = re.findall(r"<question>\n(.*?)\n</question>", user, re.DOTALL)
    return str(found[-1])


def label_of(request: Request, holding: str) -> str:
    """Return the label of the passage, fact or earlier answer whose text holds `holding`."""
    found = re.findall(
        r"\[([AF]?[\d.]+)\][^\n]*\n<(?:passage|answered)>\n(.*?)\n</", request.prompt, re.DOTALL
    )
    return next((label for label, text in found if holding in text), "")


def says(answer: str, *holding: str, against: str = "") -> Callable[[Request], dict[str, Any]]:
    """Return a reply that cites the passages that hold each of `holding`; without one, "I don't know"."""

    def reply(request: Request) -> dict[str, Any]:
        labels = [label_of(request, one) for one in holding]
        if not all(labels):
            return UNKNOWN
        others = [label_of(request, against)] if against else []
        return {"why": f"{answer} is said", "answer": answer, "citations": labels, "against": others}

    return reply


@dataclass
class Brain:
    """Replies by prompt and question; what is not scripted is direct, unknown, or fine."""

    plans: Mapping[str, object] = field(default_factory=dict)
    answers: Mapping[str, object] = field(default_factory=dict)
    checks: Mapping[str, object] = field(default_factory=dict)
    plan: object = field(default_factory=lambda: {"steps": []})
    answer: object = field(default_factory=lambda: UNKNOWN)
    check: object = field(default_factory=lambda: FINE)
    log: list[tuple[Kind, str]] = field(default_factory=list)

    def __call__(self, request: Request) -> object:
        """Return the step for a request."""
        kind, question = kind_of(request), question_of(request)
        self.log.append((kind, question))
        scripted, otherwise = {
            "decompose": (self.plans, self.plan),
            "answer": (self.answers, self.answer),
            "verify": (self.checks, self.check),
        }[kind]
        step = scripted.get(question, otherwise)
        if isinstance(step, list) and kind == "decompose":
            step = {"steps": [{"question": one, "status": "End"} for one in step]}
        while callable(step) and not isinstance(step, Completion):
            step = step(request)
        return step

    def asked(self, kind: Kind) -> list[str]:
        """Return the questions that a prompt was sent for, in order."""
        return [question for one, question in self.log if one == kind]


@dataclass
class Shelf:
    """A source that holds what a test gives it: every passage that shares a word with what is looked up."""

    passages: Mapping[str, str]
    facts: tuple[Fact, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)

    def recall(self, text: str) -> Recall:
        """Return the passages in order; raise NothingRecalled for none."""
        self.looked_up.append(text)
        terms = set(WORDS.terms(text))
        found = tuple(
            RecalledChunk(name, name, self.titles.get(name, ""), 0, passage, len(passage) // 4, 1.0)
            for name, passage in self.passages.items()
            if terms & set(WORDS.terms(f"{self.titles.get(name, '')} {passage}"))
        )
        if not found:
            raise NothingRecalled("memory 'm' has not learned it")
        return Recall(text, "m", "bamboo", (), (), (), found, 0, (), (), 0.0)

    def source(self) -> Source:
        """Return the shelf as reasoning takes it."""
        return Source(self.recall, lambda _names: self.facts, lambda _ids: {})


@dataclass
class Asker:
    """Asks questions of a shelf, with a scripted model; `server` has the log of requests."""

    server: ScriptedServer
    shelf: Shelf
    settings: Mapping[str, str] = field(default_factory=dict)

    def ask(self, question: str, *, window: int = 8192, **options: Unpack[AskOptions]) -> Asked:
        """Ask as `Memory.ask` does, without a database."""
        settings = read_settings(
            {"model_url": self.server.url, "model": "scripted", **self.settings}, environ={}
        )
        model = open_chat(settings)
        embeddings = options.get("embeddings")
        tools = Tools(
            model=model,
            verifier=open_verifier(settings),
            source=self.shelf.source(),
            words=WORDS,
            similarity=lexical(WORDS) if embeddings is None else semantic(embeddings),
            count=count_tokens,
            hits=lambda: 0,
        )
        return ask(question, memory="m", way=way_of(options, window=window), tools=tools)
