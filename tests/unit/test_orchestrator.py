"""The orchestrator chooses by likeness and survives failures; the aggregator hides no disagreement."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import InputError, LimitReached, ModelError, NothingRecalled
from bamboo_neo4j.learn.validators import exclude
from bamboo_neo4j.reason.aggregate import disagreements, join
from bamboo_neo4j.reason.asked import UNKNOWN, Asked, Keys, MindMap, Question, Spent
from bamboo_neo4j.reason.memory_view import View
from bamboo_neo4j.reason.modules import ReasoningModule, checked
from bamboo_neo4j.reason.modules.mindmap import MindMapReasoning
from bamboo_neo4j.reason.orchestrator import choose, run
from bamboo_neo4j.reason.similarity import lexical, semantic
from bamboo_neo4j.records import ReasoningOutput, UsedPair
from tests.told import WORDS, Told, chunk, fact

if TYPE_CHECKING:
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import Fact

SIMILARITY = lexical(WORDS)


@dataclass
class Says:
    """A module that says what it is told to, or raises it."""

    name: str
    description: str = ""
    gives: object = field(default_factory=lambda: ReasoningOutput("m", "so", 1.0))

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:  # noqa: ARG002
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives  # type: ignore[return-value]


AUDIT = Says("audit", "security audit of contracts")
RATES = Says("rates", "interest rates and inflation")


def output(module: str = "m", **fields: object) -> ReasoningOutput:
    return ReasoningOutput(module, **{"conclusion": f"{module} says so", "confidence": 1.0, **fields})  # type: ignore[arg-type]


def chosen(question: str, *modules: ReasoningModule, named: tuple[str, ...] = ()) -> list[str]:
    choices = choose(question, modules, similarity=SIMILARITY, named=named)
    return [choice.module for choice in choices if choice.chosen]


def test_the_module_whose_description_is_most_like_the_question_is_chosen_and_every_score_is_shown() -> None:
    choices = choose("Does the audit find security holes?", (RATES, AUDIT), similarity=SIMILARITY)
    assert [(each.module, each.chosen) for each in choices] == [("audit", True), ("rates", False)]
    assert choices[0].score > choices[1].score > 0


def test_modules_as_good_as_the_best_run_beside_it_in_the_order_of_their_names() -> None:
    twins = [Says(name, "security audit") for name in ("c", "a", "d", "b")]
    assert chosen("a security audit", *twins) == ["a", "b", "c"]


def test_a_question_of_two_parts_gets_the_module_of_each() -> None:
    question = "How safe is the audit of contracts for security, and what of inflation?"
    choices = choose(question, (AUDIT, RATES), similarity=SIMILARITY, terms=WORDS.terms)
    assert [(each.module, each.chosen) for each in choices] == [("audit", True), ("rates", True)]
    assert choices[1].score < 0.85 * choices[0].score
    other = Says("weather", "rain and audit")  # what it holds of the question is held already
    choices = choose(question, (AUDIT, RATES, other), similarity=SIMILARITY, terms=WORDS.terms)
    assert {each.module: each.chosen for each in choices} == {"audit": True, "rates": True, "weather": False}


def test_named_modules_run_and_no_other() -> None:
    assert chosen("security audit", AUDIT, RATES, named=("rates",)) == ["rates"]


def test_where_no_description_has_a_word_of_the_question_all_run() -> None:
    assert chosen("zzz", AUDIT, RATES) == ["audit", "rates"]


def test_likeness_is_one_where_all_words_are_there_in_any_inflection() -> None:
    assert SIMILARITY("auditing contract", "The audits of all contracts") == 1
    assert SIMILARITY("", "audit") == 0
    # stems "apollo safe" and "apollo reent": token-set ratio of "apollo" with either is 2·6/(6+11) at most
    assert SIMILARITY("apollo safe", "apollo reent") == pytest.approx(2 * 6 / (6 + 11), abs=0.02)


def test_likeness_by_embeddings_is_their_cosine() -> None:
    from langchain_core.embeddings import Embeddings

    class Two(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return {"one": [1.0, 0.0], "both": [1.0, 1.0], "against": [-1.0, 0.0]}[text]

    similarity = semantic(Two())
    assert similarity("one", "both") == pytest.approx(0.5**0.5)
    assert similarity("one", "against") == 0


def test_one_that_fails_never_stops_the_others_and_each_silence_says_why() -> None:
    modules = [
        Says("a", gives=ValueError("no\nnumber")),
        Says("b", gives=output("b")),
        Says("c", gives=NothingRecalled("nothing of it")),
        Says("d", gives=ModelError("the model is down", hint="run again")),
        Says("e", gives="a string"),
        Says("f", gives=LimitReached("too many facts")),
    ]
    ran = run("?", modules, Told())
    assert [each.module for each in ran.outputs] == ["b"]
    assert [(each.module, each.kind, each.reason) for each in ran.silent] == [
        ("a", "failed", "ValueError: no number"),
        ("c", "nothing", "nothing of it"),
        ("d", "model", "the model is down; run again"),
        ("e", "failed", "the module 'e' gave no usable output: it is 'str', not ReasoningOutput"),
        ("f", "limit", "too many facts"),
    ]


def test_modules_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=10)

    class Meets(Says):
        def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
            meeting.wait()
            return super().reason(question, memory)

    assert len(run("?", [Meets("a"), Meets("b"), Meets("c")], Told()).outputs) == 3


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"conclusion": " "}, "conclusion is empty"),
        ({"conclusion": None}, "conclusion is empty"),
        ({"confidence": float("nan")}, "confidence is nan"),
        ({"confidence": 2}, "confidence is 2"),
        ({"confidence": "high"}, "confidence is 'high'"),
        ({"stance": -3}, "stance is -3"),
        ({"facts": (1,)}, "not all strings"),
        ({"pairs": (("a", "b", "c"),)}, "not all UsedPair"),
    ],
)
def test_an_output_that_is_unfit_is_refused(fields: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        checked(output("m", **fields), module="m")


# The aggregator.

ONE = output(
    "one", confidence=0.9, facts=("f1",), pairs=(UsedPair("a", "b", "c1"),), chunks=("c1",), stance=0.8
)
TWO = output("two", confidence=0.4, facts=("f1", "f2"), stance=0.2, path=("step",), metrics=(("n", 1),))


def test_joined_conclusions_keep_who_said_what_and_all_that_was_used() -> None:
    joined = join([ONE, TWO])
    assert joined.module == "one+two"
    assert joined.conclusion == "one: one says so; two: two says so"
    assert joined.facts == ("f1", "f2")
    assert joined.pairs == ONE.pairs
    assert joined.path == ("two: step",)
    assert joined.metrics == (("two: n", 1),)
    assert joined.confidence == 0.4  # no surer than its least sure part
    assert joined.stance == pytest.approx(0.5)


def test_one_output_is_joined_as_it_is() -> None:
    assert join([ONE]) is ONE


def different(one: Fact, other: Fact) -> bool:
    return exclude(one, other, words=WORDS)


def test_opposed_stances_are_shown_and_not_averaged() -> None:
    against = output("three", stance=-0.6)
    (found,) = disagreements([ONE, against, output("four", stance=0.05)], {}, exclude=different)
    assert [module for module, _ in found.sides] == ["one", "three"]
    assert found.sides[1][1] == "against (-0.60): three says so"
    assert join([ONE, against]).stance is None


def test_facts_that_exclude_each_other_are_a_disagreement_where_two_modules_use_them() -> None:
    yes, no = fact("Apollo | audited | yes"), fact("Apollo | audited | no")
    facts = {each.id: each for each in (yes, no)}
    outputs = [output("one", facts=(yes.id,)), output("two", facts=(no.id,))]
    (found,) = disagreements(outputs, facts, exclude=different)
    assert found.about == "apollo audited"
    assert found.sides == (("one", "Apollo audited yes"), ("two", "Apollo audited no"))
    assert not disagreements([output("one", facts=(yes.id, no.id))], facts, exclude=different)


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ("A1 | safe | yes", "A1 | safe | no", True),
        ("A1 | safe | true", "A1 | safe | false", True),
        ("A1 | is owned by | B1", "A1 | is not owned by | B1", True),
        ("A1 | is owned by | B1", "A1 | is owned by | C1", False),
        ("A1 | safe | yes", "B1 | safe | no", False),
        ("A1 | is owned by | B1", "A1 | is not owned by | C1", False),
    ],
)
def test_facts_exclude_each_other_as_yes_and_no_do(one: str, other: str, *, excluded: bool) -> None:
    assert different(fact(one), fact(other)) is excluded
    assert different(fact(other), fact(one)) is excluded


def test_embeddings_that_fail_are_a_failure_of_the_model() -> None:
    from langchain_core.embeddings import FakeEmbeddings

    class Down(FakeEmbeddings):
        def embed_query(self, text: str) -> list[float]:
            raise ConnectionError(f"no route for {text}")

    with pytest.raises(ModelError, match="ConnectionError: no route for one"):
        semantic(Down(size=2))("one", "two")


def asked(output: ReasoningOutput | None) -> Asked:
    root = Question("m:q", "1", "Who?", level=0, order=1, status="End")
    return Asked(
        question="Who?",
        memory="m",
        answer=output.conclusion if output else UNKNOWN,
        abstained=output is None,
        reason="no evidence",
        map=MindMap("m:map", "m", "Who?", "2026-01-01T00:00:00Z", (root,)),
        keys=Keys(),
        spent=Spent(),
        model="scripted",
        verifier="scripted",
        chunks=(chunk("Ada owns Works.", name="m:1"),),
        facts=(fact("Ada | owns | Works"),),
        output=output,
    )


def test_a_mind_map_is_a_module_that_brings_its_evidence_or_its_abstention() -> None:
    answer = output("mindmap", facts=("Ada | owns | Works",), chunks=("m:1",))
    view = View(Told())
    found = MindMapReasoning(lambda _: asked(answer)).reason("Who?", view)
    assert (found.module, found.facts) == ("mindmap", answer.facts)
    assert [each.id for each in view.facts_of(found.facts)] == ["Ada | owns | Works"]
    assert [each.id for each in view.chunks_of(found.chunks)] == ["m:1"]
    with pytest.raises(NothingRecalled, match="the mind map abstains: no evidence"):
        MindMapReasoning(lambda _: asked(None)).reason("Who?", view)


def test_facts_that_a_module_has_from_elsewhere_are_looked_up_where_they_are_facts_at_all() -> None:
    told = Told(fact("Ada | owns | Works", name="m:1"), fact("Bo | owns | Mill", name="m:2"))
    view = View(told)
    assert [each.subject for each in view.facts_of(["m:2", "m:9", "F99"])] == ["bo"]
    assert view.facts_of(["F98"]) == ()
    assert len(told.asked) == 1


def test_a_view_asks_for_the_facts_of_its_time() -> None:
    told = Told(fact("Ada | owns | Works"))
    view = View(told, as_of="2024-05-01")
    assert len(list(view.facts(subject="ada"))) == 1
    list(view.facts(as_of="2020-01-01"))
    assert told.asked == ["2024-05-01", "2020-01-01"]
