"""The example of ApolloContract: its files load, its questions have their facts, modules and answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.learn.goals import read_goals
from bamboo_neo4j.memorise.facts.inputs import read_all
from bamboo_neo4j.memorise.facts.reading import StatedFact, fact_id
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.reason.modules.llm import ModelReasoning
from bamboo_neo4j.reason.modules.rules import Rules
from bamboo_neo4j.reason.modules.sentiment import Sentiment
from bamboo_neo4j.reason.modules.table import Table
from bamboo_neo4j.reason.orchestrator import choose
from bamboo_neo4j.reason.similarity import lexical
from bamboo_neo4j.records import Fact, ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.reason.modules import ReasoningModule
    from bamboo_neo4j.records import Recall

APOLLO = Path(__file__).parents[2] / "examples" / "apollo"
WORDS = normaliser("en")
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (APOLLO / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
DETERMINISTIC = [each for each in QUESTIONS if "llm" not in each["modules"]]


class Triple(NamedTuple):
    subject: str
    predicate: str
    object: str


@cache
def stated() -> tuple[StatedFact, ...]:
    facts = tuple(read_all([APOLLO / "facts.csv"], words=WORDS))
    assert [one for one in facts if not isinstance(one, StatedFact)] == []
    return tuple(one for one in facts if isinstance(one, StatedFact))


class OnADay:
    """The facts of the example as they were on a day, in the place of a memory; it holds no document."""

    def __init__(self, day: str) -> None:
        self._day = date.fromisoformat(day)

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002
        as_of: str | None = None,  # noqa: ARG002
    ) -> Iterator[Fact]:
        for fact in filter(self._is_valid, stated()):
            if subject is not None and WORDS.key(subject) != WORDS.key(fact.subject):
                continue
            if object is not None and WORDS.key(object) != WORDS.key(fact.object):
                continue
            if predicate is None or WORDS.name(predicate) == WORDS.name(fact.predicate):
                yield as_fact(fact)

    def recall(self, question: str, *, limit: int | None = None, tokens: int | None = None) -> Recall:
        raise NothingRecalled(f"{question!r}: no document in {limit} chunks and {tokens} tokens")

    def _is_valid(self, fact: StatedFact) -> bool:
        begin, end = fact.valid_from or date.min, fact.valid_to or date.max
        assert not isinstance(begin, datetime)
        assert not isinstance(end, datetime)
        return begin <= self._day <= end


def as_fact(fact: StatedFact) -> Fact:
    return Fact(
        fact_id("m", fact, words=WORDS),
        WORDS.name(fact.subject),
        fact.predicate,
        WORDS.name(fact.object),
        fact.confidence,
        fact.confidence,
        subject_text=fact.subject,
        object_text=fact.object,
    )


def wanted(question: dict[str, Any]) -> set[Triple]:
    return {Triple(**fact) for fact in question["facts"]}


def used(output: ReasoningOutput, memory: OnADay) -> set[Triple]:
    facts = [fact for fact in memory.facts() if fact.id in output.facts]
    return {Triple(fact.subject_text, fact.predicate, fact.object_text) for fact in facts}


def module(name: str, day: str) -> ReasoningModule:
    if name == "rules":
        return Rules.read(APOLLO / "rules.json", words=WORDS)
    if name == "table":
        return Table.read(APOLLO / "rates.csv", words=WORDS, as_of=day)
    return Sentiment.read(APOLLO / "announcements.json", words=WORDS, as_of=day)


class Described:
    """What the orchestrator knows of the module that needs a model."""

    name, description = ModelReasoning.name, ModelReasoning.description

    def reason(self, question: str, memory: object, /) -> ReasoningOutput:
        raise NotImplementedError


@cache
def chosen(question: str, day: str) -> set[str]:
    modules: list[ReasoningModule] = [module(name, day) for name in ("rules", "table", "sentiment")]
    choices = choose(question, [*modules, Described()], similarity=lexical(WORDS), terms=WORDS.terms)
    return {choice.module for choice in choices if choice.chosen}


def test_there_are_sixty_questions_and_more_in_five_kinds() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert len(QUESTIONS) >= 60
    assert len(kinds) == 5
    assert min(kinds.values()) >= 12
    for key in ("id", "question"):
        assert len({question[key] for question in QUESTIONS}) == len(QUESTIONS)
    assert {len(question["modules"]) for question in QUESTIONS if question["kind"] == "mixed"} == {2}


def test_the_facts_are_all_different() -> None:
    assert len({fact_id("m", fact, words=WORDS) for fact in stated()}) == len(stated())


def test_the_goals_can_be_read() -> None:
    goals = read_goals(APOLLO / "goals.json")
    assert goals.goals
    assert goals.limits


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question["id"]))
def test_the_facts_that_answer_a_question_are_valid_on_its_day(question: dict[str, Any]) -> None:
    facts = OnADay(question["as_of"]).facts()
    assert wanted(question)
    assert wanted(question) <= {Triple(fact.subject_text, fact.predicate, fact.object_text) for fact in facts}
    assert question["answer"]


@pytest.mark.parametrize("question", DETERMINISTIC, ids=lambda question: str(question["id"]))
def test_the_modules_of_a_question_conclude_its_answer_from_its_facts(question: dict[str, Any]) -> None:
    day = question["as_of"]
    memory = OnADay(day)
    outputs = [module(name, day).reason(question["question"], memory) for name in question["modules"]]
    assert wanted(question) <= set().union(*(used(output, memory) for output in outputs))
    if len(outputs) == 1:
        assert question["answer"] in outputs[0].conclusion


def chosen_all(question: dict[str, Any]) -> bool:
    return set(question["modules"]) <= chosen(question["question"], question["as_of"])


def test_the_orchestrator_finds_the_module_of_every_question_that_needs_one() -> None:
    single = [question for question in QUESTIONS if len(question["modules"]) == 1]
    assert [question["id"] for question in single if not chosen_all(question)] == []


def test_the_readme_counts_what_is_there() -> None:
    text = (APOLLO / "README.md").read_text(encoding="utf-8")
    mixed = [question for question in QUESTIONS if len(question["modules"]) > 1]
    rules = json.loads((APOLLO / "rules.json").read_text(encoding="utf-8"))["rules"]
    told = json.loads((APOLLO / "announcements.json").read_text(encoding="utf-8"))["announcements"]
    counts = (
        f"{len(stated())} stated facts",
        f"{len(QUESTIONS)} questions",
        f"{len(rules)} rules",
        f"{len(told)} announcements",
        f"{sum(map(chosen_all, mixed))} of the {len(mixed)} mixed",
    )
    assert [count for count in counts if count not in text] == []
    files = re.findall(r"^\| `(\w+\.\w+)`", text, re.MULTILINE)
    assert {*files, "README.md"} == {path.name for path in APOLLO.iterdir()}
