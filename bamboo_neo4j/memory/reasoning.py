"""Reasoning: a question given to modules, their conclusions joined and validated, and what held recorded."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import BambooError, LimitReached, ModelError, NothingRecalled, UsageError
from bamboo_neo4j.learn.claims import GraphChecker
from bamboo_neo4j.learn.gate import judge
from bamboo_neo4j.learn.validators import Case, Tools, deterministic, exclude, validate
from bamboo_neo4j.memory.asking import Asking, Closing, require_form
from bamboo_neo4j.memory.learning import goals_of
from bamboo_neo4j.memory.stating import moment
from bamboo_neo4j.models.prompting import readable
from bamboo_neo4j.reason.aggregate import disagreements, join
from bamboo_neo4j.reason.assembling import Data, Models, assemble
from bamboo_neo4j.reason.memory_view import View
from bamboo_neo4j.reason.orchestrator import choose, run
from bamboo_neo4j.reason.similarity import lexical, semantic
from bamboo_neo4j.records import Judged, Reasoned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.forms import Source
    from bamboo_neo4j.learn.goals import Goals
    from bamboo_neo4j.learn.validators import Validators
    from bamboo_neo4j.memory.asking import Form
    from bamboo_neo4j.memory.learning import GoalsGiven
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.asking import AskOptions
    from bamboo_neo4j.reason.assembling import Assembled
    from bamboo_neo4j.reason.modules import ReasoningModule
    from bamboo_neo4j.reason.orchestrator import Ran
    from bamboo_neo4j.records import (
        Disagreement,
        Episode,
        Fact,
        GateName,
        ModuleChoice,
        ReasoningOutput,
        Verdict,
    )

    Model = str | ChatModel | BaseChatModel


class Reasoning(Asking):
    """What reasons about a question by modules."""

    def reason(
        self,
        question: str,
        *,
        modules: Sequence[str | ReasoningModule] = (),
        rules: Source | None = None,
        table: Path | str | None = None,
        announcements: Source | None = None,
        goals: GoalsGiven | None = None,
        gate: GateName = "quality",
        validators: Form = "rules",
        as_of: str | date | None = None,
        learn: bool = True,
        model: Model | None = None,
        embeddings: Embeddings | None = None,
    ) -> Reasoned:
        """Reason about a question by one or several modules, validate what they conclude, and record it.

        `modules` are names, or modules of your own; without any, those are taken whose description is most
        like the question. `rules`, `table` and `announcements` are what the built-in modules reason over,
        `goals` what the answer is aligned with; `as_of` is the day or time that facts are taken of (now).
        `model` is a name, or any LangChain chat model. With `learn`, the answer becomes an episode, which
        waits for `maintain` if the gate lets it pass.

        Raises:
            NothingRecalled: no module concludes anything; says why, module by module.
            ModelError: the same, and a model failed; LimitReached: the same, and a limit was reached.
            UsageError: an unknown module, gate or form, or one without its data.
            InputError: a file is unfit.

        """
        started = time.perf_counter()
        question = readable(question)
        _require(question, gate, validators)
        when = (moment(as_of) or datetime.now(UTC)).isoformat(timespec="seconds")
        with ExitStack() as opened:
            models = self._models(model, opened, as_of=when, store=learn)
            chosen = assemble(
                Data(rules, table, announcements),
                wanted=modules,
                words=self.normaliser,
                as_of=None if as_of is None else when,
                models=models,
            )
            case = self._case(question, when, gate=gate, goals=goals, embeddings=embeddings)
            found = case.reason(chosen, self._validators(validators, case.tools, models))
        episode = self._record_episode(found, case) if learn else None
        return replace(found, episode=episode, milliseconds=(time.perf_counter() - started) * 1000)

    def _case(
        self,
        question: str,
        when: str,
        *,
        gate: GateName,
        goals: GoalsGiven | None,
        embeddings: Embeddings | None,
    ) -> _Case:
        words = self.normaliser
        check = GraphChecker(self._client.read, self.name, words, as_of=moment(when))
        similarity = lexical(words) if embeddings is None else semantic(embeddings)
        return _Case(
            question,
            when,
            View(self, as_of=when),
            memory=self.name,
            gate=gate,
            goals=goals_of(goals),
            known=self._earlier_answers(),
            tools=Tools(words, similarity, check),
        )

    def _models(self, given: Model | None, opened: ExitStack, *, as_of: str, store: bool) -> Models | None:
        """Return what reasons with the model given, else the settings'; None where none is configured.

        One budget holds for all its calls; `opened` closes what is opened here. A mind map takes facts as of
        `as_of`; with `store` it is kept in the graph.
        """
        known = self._settings["model"] and (self._settings["model_key"] or self._settings["model_url"])
        if given is None and not known:
            return None
        from bamboo_neo4j.memorise.tokens import count_tokens
        from bamboo_neo4j.reason.limits import Budget, LimitedChat, Limits

        window = int(self._settings.number("model_window"))
        budget = Budget(Limits(window=window))

        @cache
        def chat() -> ChatModel:
            model = self._answering_model(given)
            if isinstance(model, Closing) and model is not given:
                opened.callback(model.close)
            return LimitedChat(model, budget, count=count_tokens)

        def ask(question: str) -> Asked:
            options: AskOptions = {} if given is None else {"model": given}
            return self.ask(question, as_of=as_of, learn=False, store=store, **options)

        return Models(chat, ask, count_tokens, window)

    def _validators(self, form: Form, tools: Tools, models: Models | None) -> Validators:
        if form == "rules":
            return deterministic(tools)
        from bamboo_neo4j.learn.judging import by_model

        # without a model in the settings, opening it says so
        return by_model(models.chat() if models else self._answering_model(None), tools)

    def _record_episode(self, found: Reasoned, case: _Case) -> Episode | None:
        """Record the answer with the claims that the graph holds; None where there is no such memory yet."""
        self._refresh()
        if self._state.language is None:
            return None
        answer = found.answer
        held = case.tools.check(answer.facts, answer.pairs).held(answer)
        cited = case.view.chunks_of(answer.chunks)
        return self.learn(found.question, held, found.verdict, cited=cited)


@dataclass(frozen=True, slots=True)
class _Case:
    """One question, the time it is asked of, and what its answers are judged with."""

    question: str
    when: str
    view: View
    memory: str
    gate: GateName
    goals: Goals | None
    known: tuple[str, ...]
    tools: Tools

    def reason(self, chosen: Assembled, validators: Validators) -> Reasoned:
        """Let modules reason and judge what they conclude; see `Reasoning.reason`."""
        choices, ran = _orchestrate(self.question, chosen, self.view, self.tools)
        each = tuple(Judged(output, self._verdict(output, (), validators)) for output in ran.outputs)
        # what does not pass by itself is shown, and is no part of the answer, unless nothing passes
        kept = [judged for judged in each if judged.verdict.passed] or list(each)
        answer, verdict = kept[0].output, kept[0].verdict
        if len(kept) > 1:
            parts = tuple(judged.output for judged in kept)
            answer = join(parts)
            verdict = self._verdict(answer, parts, validators)
        return Reasoned(
            question=self.question,
            memory=self.memory,
            as_of=self.when,
            modules=choices,
            conclusions=each,
            silent=ran.silent,
            disagreements=self._disagreements(ran.outputs),
            answer=answer,
            verdict=verdict,
            facts=self._facts(ran.outputs),
            episode=None,
            milliseconds=0.0,
        )

    def _verdict(
        self, output: ReasoningOutput, parts: tuple[ReasoningOutput, ...], validators: Validators
    ) -> Verdict:
        case = Case(
            question=self.question,
            output=output,
            parts=parts,
            facts=self._facts([output]),
            passages=tuple(chunk.text for chunk in self.view.chunks_of(output.chunks)),
            opposed=tuple(each.about for each in self._disagreements(parts)),
            known=self.known,
            goals=self.goals,
        )
        return judge(validate(case, validators), gate=self.gate)

    def _facts(self, outputs: Sequence[ReasoningOutput]) -> tuple[Fact, ...]:
        return self.view.facts_of([fact for output in outputs for fact in output.facts])

    def _disagreements(self, outputs: Sequence[ReasoningOutput]) -> tuple[Disagreement, ...]:
        used = {fact.id: fact for fact in self._facts(outputs)}
        words = self.tools.words
        return disagreements(outputs, used, exclude=lambda one, other: exclude(one, other, words=words))


def _orchestrate(
    question: str, chosen: Assembled, view: View, tools: Tools
) -> tuple[tuple[ModuleChoice, ...], Ran]:
    """Choose modules and run them; raises NothingRecalled or ModelError where none concludes anything."""
    if not chosen.modules:
        raise UsageError(
            "no module has anything to reason over",
            hint="give --rules, --table or --announcements, or set BAMBOO_MODEL",
        )
    choices = choose(
        question,
        chosen.modules,
        similarity=tools.similarity,
        terms=tools.words.terms,
        named=chosen.named,
    )
    by_name = {module.name: module for module in chosen.modules}
    ran = run(question, [by_name[each.module] for each in choices if each.chosen], view)
    ran = replace(ran, silent=(*ran.silent, *chosen.broken))
    if not ran.outputs:
        raise _nothing(question, ran)
    return choices, ran


def _nothing(question: str, ran: Ran) -> BambooError:
    """Return the error that says, module by module, why nothing is concluded."""
    said = "; ".join(f"{each.module}: {each.reason}" for each in ran.silent)
    message = f"nothing can be concluded about {question[:80]!r}: {said}"
    kinds = {each.kind for each in ran.silent}
    if "model" in kinds:
        return ModelError(message)
    return LimitReached(message) if "limit" in kinds else NothingRecalled(message)


def _require(question: str, gate: GateName, validators: str) -> None:
    if not question.strip():
        raise UsageError("the question is empty", hint="say what is to be reasoned about")
    judge((), gate=gate)  # raises for a gate that there is not
    require_form(validators)
