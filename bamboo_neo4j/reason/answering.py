"""Answering: bottom-up, each question from its evidence and the answers below it, each answer checked.

A question whose evidence is not there costs no call. An answer cites what was shown, its words stand in what
it cites, and the second model finds it grounded, consistent and logical; else it is thought over, once by
default, and then "I don't know" (CogGRAG keeps the second answer: `keep`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import UnusableReply
from bamboo_neo4j.reason.asked import UNKNOWN
from bamboo_neo4j.reason.context import known_answers, lay_out
from bamboo_neo4j.reason.grounding import says_the_same, ungrounded
from bamboo_neo4j.reason.keys import local_keys
from bamboo_neo4j.reason.limits import SPARE
from bamboo_neo4j.reason.mindmap import REFERENCE, same_question
from bamboo_neo4j.reason.replies import (
    TOKENS_A_CHECK,
    TOKENS_AN_ANSWER,
    Answer,
    answer_prompt,
    ask_answer,
    ask_check,
    verify_prompt,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import Evidence, LocalKeys, Question
    from bamboo_neo4j.reason.context import Layout
    from bamboo_neo4j.reason.limits import LimitedChat
    from bamboo_neo4j.reason.retrieval import Fit, Pool

SPARE_TOKENS = 400
"""Room that is kept for a reply that is shown back with its fault."""
LEAST_CONTEXT = 64
"""Tokens of evidence that are tried even where the question leaves less."""


@dataclass(frozen=True, slots=True)
class Models:
    """The model that answers, and the one that checks; None: nothing is checked."""

    answering: LimitedChat
    checking: LimitedChat | None


@dataclass(frozen=True, slots=True)
class Ways:
    """How questions are answered.

    `rethinks` is how often a faulty answer is thought over; `keep` keeps the last one all the same;
    `second_lookup` lets a filled reference be looked up again; `window` is in tokens, as `count` counts them.
    """

    window: int
    count: Callable[[str], int]
    rethinks: int = 1
    keep: bool = False
    second_lookup: bool = True


@dataclass(frozen=True, slots=True)
class _Case:
    """One question about to be answered: as it is asked, what is shown for it, and what may be cited."""

    question: Question
    layout: Layout
    parts: tuple[Question, ...]
    context: str
    labels: frozenset[str]

    def around(self, reply: Answer) -> str:
        """Return the evidence as it is checked: what the reply names whole, the rest by a sentence each."""
        shown = self.layout.around({*reply.citations, *reply.against})
        return "\n\n".join(filter(None, (shown, known_answers(self.parts))))


@dataclass(frozen=True, slots=True)
class _Judged:
    """A reply and what is wrong with it; "" for nothing."""

    reply: Answer
    fault: str


class Answerer:
    """Answers the questions of one map; `answered` holds those that are done, by number, even after an error.

    `shared` are the keys that several questions share; `cut` counts passages that did not fit the window.
    """

    def __init__(
        self, models: Models, pool: Pool, *, ways: Ways, words: Normaliser, shared: Sequence[str] = ()
    ) -> None:
        self._models = models
        self._pool = pool
        self._ways = ways
        self._words = words
        self._shared = shared
        self.answered: dict[str, Question] = {}
        self.second_lookups = 0
        self.cut = 0

    def answer_all(self, questions: Sequence[Question]) -> None:
        """Answer every question, parts before what they are parts of, earlier ones before later ones.

        `questions` come each before its parts. Raises LimitReached or ModelError, with what is answered kept.
        """
        for question in bottom_up(questions):
            self.answered[question.number] = self._answer(question)

    def _answer(self, question: Question) -> Question:
        same = self._answered_already(question)
        if same is not None:
            return same
        numbers = REFERENCE.findall(question.text)
        missing = next((one for one in numbers if not self._knows(one)), None)
        if missing is not None:
            return _abstain(question, f"it needs the answer to #{missing}, which is not known")
        question = replace(question, asked=self._filled(question.text))
        case = self._case(question, [self.answered[number] for number in numbers])
        if not case.context:
            return _abstain(question, "nothing in the memory is close enough to it")
        try:
            return self._think(case)
        except UnusableReply as unusable:
            return _abstain(question, unusable.message)

    def _answered_already(self, question: Question) -> Question | None:
        """Return a repeated question with the answer of the one that it repeats, if that is there."""
        if question.ending != "repeated":
            return None
        sense = same_question(question.text, self._words)
        for one in self.answered.values():
            if same_question(one.text, self._words) == sense:
                return replace(
                    one,
                    id=question.id,
                    number=question.number,
                    level=question.level,
                    order=question.order,
                    parent=question.parent,
                    status=question.status,
                    ending=question.ending,
                )
        return None

    def _knows(self, number: str) -> bool:
        return number in self.answered and self.answered[number].is_answered

    def _filled(self, text: str) -> str:
        return REFERENCE.sub(lambda found: self.answered[found[1]].answer, text)

    def _case(self, question: Question, references: Sequence[Question]) -> _Case:
        """Return what a question is answered from: evidence that fits its keys, and answers below it."""
        below = [one for one in self.answered.values() if one.parent == question.id and one.is_answered]
        parts = tuple({one.number: one for one in [*references, *below]}.values())
        keys = local_keys(
            question,
            normaliser=self._words,
            text=question.asked,
            answers=[one.answer for one in references],
            cues=self._pool.cues,
        )
        fits = self._fits(keys, parts, filled=question.asked if references else "")
        answers = known_answers(parts)
        layout = lay_out(fits, budget=self._budget(question, answers), count=self._ways.count)
        self.cut += layout.cut
        labels = {fit.candidate.label for fit in layout.shown} | {f"A{one.number}" for one in parts}
        context = "\n\n".join(filter(None, (layout.text, answers)))
        return _Case(question, layout, parts, context, frozenset(labels))

    def _fits(self, keys: LocalKeys, parts: Sequence[Question], *, filled: str) -> list[Fit]:
        """Return what fits: what the parts cite, then the question's own keys, then shared ones."""
        own = self._pool.for_question(keys)
        if filled and not self._settled(own, keys) and self._ways.second_lookup:
            self.second_lookups += 1
            self._pool.look_up(filled, keys.entities)
            own = self._pool.for_question(keys)
        by_label = {fit.candidate.label: fit for fit in own}
        for fit in self._pool.fitting(self._shared) if self._shared else []:
            by_label.setdefault(fit.candidate.label, fit)
        cited = {one.label: one for part in parts for one in part.evidence}
        for label, one in cited.items():
            by_label.setdefault(label, self._pool.again(one))
        return sorted(by_label.values(), key=lambda fit: fit.candidate.label not in cited)

    def _settled(self, fits: Sequence[Fit], keys: LocalKeys) -> bool:
        """Tell whether a candidate fits the whole of a filled question, not only a name in it."""
        whole = keys.triples or keys.pairs
        return bool(self._pool.fitting(whole)) if whole else bool(fits)

    def _budget(self, question: Question, answers: str) -> int:
        """Return the tokens that evidence may take: the window without everything else."""
        bare = answer_prompt(question.asked, answers, earlier=" ")
        taken = self._models.answering.size(bare, Answer) + TOKENS_AN_ANSWER + TOKENS_A_CHECK + SPARE_TOKENS
        return max(LEAST_CONTEXT, round((self._ways.window - taken) / SPARE))

    def _think(self, case: _Case) -> Question:
        """Answer, check, and think over what is faulty; the last word is an answer or an abstention."""
        judged = self._judge(case, self._ask(case))
        thought = 0
        while judged.fault and not judged.reply.is_unknown and thought < self._ways.rethinks:
            thought += 1
            earlier = f"{judged.reply.answer}\n{judged.fault}"
            again = self._ask(case, earlier)
            if again.answer == judged.reply.answer and again.citations == judged.reply.citations:
                break
            judged = self._judge(case, again)
        question = replace(case.question, rethinks=thought)
        if judged.reply.is_unknown:
            return _abstain(question, judged.reply.why or "the evidence does not say")
        if judged.fault and not self._ways.keep:
            return _abstain(question, f"the answer {judged.reply.answer!r} was not kept: {judged.fault}")
        return self._settle(question, case, judged)

    def _ask(self, case: _Case, earlier: str = "") -> Answer:
        prompt = answer_prompt(case.question.asked, case.context, earlier=earlier)
        return ask_answer(prompt, model=self._models.answering, labels=case.labels)

    def _judge(self, case: _Case, reply: Answer) -> _Judged:
        """Return what is wrong with a reply: by its words first, which costs no call, then by the model."""
        if reply.is_unknown:
            return _Judged(reply, "")
        fault = ungrounded(
            reply.answer, case.question.asked, cited=self._cited_texts(case, reply), words=self._words
        )
        return _Judged(reply, fault or self._checked(case, reply))

    def _checked(self, case: _Case, reply: Answer) -> str:
        """Return what the second model finds wrong with a reply, "" for nothing or where nothing is checked.

        It works the answer out itself: an approval that comes with another answer is none.
        """
        if self._models.checking is None:
            return ""
        prompt = verify_prompt(
            case.question.asked, case.around(reply), answer=reply.answer, citations=reply.citations
        )
        try:
            check = ask_check(prompt, model=self._models.checking)
        except UnusableReply as unusable:
            return f"it could not be checked: {unusable.message}"
        if check.holds and check.found and not says_the_same(reply.answer, check.found, self._words):
            return f"the check found {check.found!r} in the same evidence"
        return "" if check.holds else check.fault

    def _cited_texts(self, case: _Case, reply: Answer) -> Iterator[str]:
        for fit in case.layout.shown:
            if fit.candidate.label in reply.citations:
                chunk = fit.candidate.chunk
                yield f"{chunk.title}\n{chunk.text}" if chunk else fit.sentence
        for part in case.parts:
            if f"A{part.number}" in reply.citations:
                yield f"{part.asked}\n{part.answer}"

    def _settle(self, question: Question, case: _Case, judged: _Judged) -> Question:
        """Return the question with its answer, its evidence and its verdict."""
        verdict: Literal["verified", "unverified", "rejected"] = "verified"
        if judged.fault:
            verdict = "rejected"
        elif self._models.checking is None:
            verdict = "unverified"
        reply = judged.reply
        evidence = self._evidence(case, reply)
        return replace(
            question,
            answer=reply.answer,
            verdict=verdict,
            reason=judged.fault or reply.why,
            evidence=evidence,
            against=self._against(case, reply, evidence),
        )

    def _evidence(self, case: _Case, reply: Answer) -> tuple[Evidence, ...]:
        """Return what is cited, and what the answers rest on that are cited or were filled in."""
        cited = [
            self._pool.evidence(fit) for fit in case.layout.shown if fit.candidate.label in reply.citations
        ]
        filled = set(REFERENCE.findall(case.question.text))
        for part in case.parts:
            if part.number in filled or f"A{part.number}" in reply.citations or part.answer == reply.answer:
                cited.extend(part.evidence)
        return tuple({one.id: one for one in reversed(cited)}.values())[::-1]

    def _against(self, case: _Case, reply: Answer, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Return what says otherwise: what the model named, and facts that state another object."""
        cited = {one.id for one in evidence}
        facts = [fit.candidate.fact for fit in case.layout.shown if fit.candidate.fact]
        held = [fact for fact in facts if fact.id in cited]
        found = []
        for fit in case.layout.shown:
            fact = fit.candidate.fact
            disputes = fact is not None and any(
                (one.subject, one.predicate) == (fact.subject, fact.predicate) and one.object != fact.object
                for one in held
            )
            one = self._pool.evidence(fit)
            if one.id not in cited and (disputes or one.label in reply.against):
                found.append(one)
        return tuple(found)


def bottom_up(questions: Sequence[Question]) -> Iterator[Question]:
    """Yield the questions of a map, each after its parts and after its earlier siblings."""

    def below(parent: str | None) -> Iterator[Question]:
        for one in questions:
            if one.parent == parent:
                yield from below(one.id)
                yield one

    yield from below(None)


def _abstain(question: Question, reason: str) -> Question:
    return replace(question, answer=UNKNOWN, verdict="abstained", reason=reason)
