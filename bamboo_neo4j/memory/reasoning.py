"""Reasoning: a question given to modules, their conclusions joined and validated, and what held recorded."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, get_args

from bamboo_neo4j.errors import ModelError, NothingRecalled, UsageError
from bamboo_neo4j.learn.claims import GraphChecker
from bamboo_neo4j.learn.gate import judge
from bamboo_neo4j.learn.goals import Goals, read_goals
from bamboo_neo4j.learn.validators import Case, Tools, deterministic, exclude, validate
from bamboo_neo4j.memory.learning import Learning
from bamboo_neo4j.memory.recalling import Recalling
from bamboo_neo4j.memory.stating import Stating, moment
from bamboo_neo4j.reason.aggregate import disagreements, join
from bamboo_neo4j.reason.assembling import Data, assemble
from bamboo_neo4j.reason.memory_view import View
from bamboo_neo4j.reason.orchestrator import choose, run
from bamboo_neo4j.reason.similarity import lexical, semantic
from bamboo_neo4j.records import Judged, Reasoned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.learn.validators import Validators
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.reason.assembling import Assembled
    from bamboo_neo4j.reason.modules import ReasoningModule
    from bamboo_neo4j.reason.modules.files import Source
    from bamboo_neo4j.reason.orchestrator import Ran
    from bamboo_neo4j.reason.similarity import Similarity
    from bamboo_neo4j.records import (
        Disagreement,
        Episode,
        Fact,
        GateName,
        ModuleChoice,
        ReasoningOutput,
        Verdict,
    )

Form = Literal["rules", "model"]
"""The form of the validators: rules, which need no model, or a model."""

EARLIER = 200
"""Earlier answers that novelty is measured against, the newest."""


class Reasoning(Recalling, Stating, Learning):
    """What reasons about a question by modules."""

    def reason(
        self,
        question: str,
        *,
        modules: Sequence[str | ReasoningModule] = (),
        rules: Source | None = None,
        table: Path | str | None = None,
        announcements: Source | None = None,
        goals: Goals | Path | str | Mapping[str, object] | None = None,
        gate: GateName = "quality",
        validators: Form = "rules",
        as_of: str | date | None = None,
        learn: bool = True,
        model: ChatModel | BaseChatModel | None = None,
        embeddings: Embeddings | None = None,
    ) -> Reasoned:
        """Reason about a question by one or several modules, validate what they conclude, and record it.

        `modules` are names, or modules of your own; without any, those are taken whose description is most
        like the question. `rules`, `table` and `announcements` are what the built-in modules reason over,
        `goals` what the answer is aligned with; `as_of` is the day or time that facts are taken of (now).
        With `learn`, the answer becomes an episode, which waits for `maintain` if the gate lets it pass.

        Raises:
            NothingRecalled: no module concludes anything; says why, module by module.
            ModelError: the same, and a model failed.
            UsageError: an unknown module, gate or form, or one without its data.
            InputError: a file is unfit.

        """
        started = time.perf_counter()
        _require(question, validators)
        when = datetime.now(UTC).isoformat(timespec="seconds") if as_of is None else str(as_of)
        chosen = assemble(
            Data(rules, table, announcements),
            wanted=modules,
            words=self.normaliser,
            as_of=None if as_of is None else when,
            model=self._model_for_reasoning(model),
        )
        similarity = lexical(self.normaliser) if embeddings is None else semantic(embeddings)
        tools = Tools(self.normaliser, similarity, self._checker(when))
        case = _Case(
            question,
            View(self, as_of=when),
            gate=gate,
            goals=read_goals(goals) if goals is not None else None,
            validators=self._validators(validators, tools, model),
            known=tuple(row["answer"] for row in self._stream("inspect/answers", limit=EARLIER)),
            exclude=lambda one, other: exclude(one, other, words=tools.words),
        )
        judge((), gate=gate)  # an unknown gate is refused before any work
        choices, ran = _orchestrate(question, chosen, case.view, similarity)
        conclusions, answer, verdict = case.judge(ran.outputs)
        return Reasoned(
            question=question,
            memory=self.name,
            as_of=when,
            modules=choices,
            conclusions=conclusions,
            silent=ran.silent,
            disagreements=case.disagreements(ran.outputs),
            answer=answer,
            verdict=verdict,
            facts=case.facts(ran.outputs),
            episode=self._record_episode(question, answer, verdict, tools, case.view) if learn else None,
            milliseconds=(time.perf_counter() - started) * 1000,
        )

    def _model_for_reasoning(self, model: ChatModel | BaseChatModel | None) -> Callable[[], ChatModel] | None:
        """Return what opens the model given, else that of the settings; None where none is configured."""
        from bamboo_neo4j.models.chat import as_chat, open_chat

        if model is not None:
            return lambda: as_chat(model)
        configured = self._settings["model"] and (self._settings["model_key"] or self._settings["model_url"])
        return (lambda: open_chat(self._settings)) if configured else None

    def _validators(self, form: Form, tools: Tools, model: ChatModel | BaseChatModel | None) -> Validators:
        if form == "rules":
            return deterministic(tools)
        from bamboo_neo4j.learn.judging import by_model
        from bamboo_neo4j.models.chat import as_chat, open_chat

        chat = open_chat(self._settings) if model is None else as_chat(model)
        return by_model(chat, tools)

    def _checker(self, when: str) -> GraphChecker:
        return GraphChecker(self._client.read, self.name, self.normaliser, as_of=moment(when))

    def _record_episode(
        self, question: str, answer: ReasoningOutput, verdict: Verdict, tools: Tools, view: View
    ) -> Episode | None:
        """Record the answer with the claims that the graph holds; None where there is no such memory yet."""
        self._refresh()
        if self._state.language is None:
            return None
        wrong = tools.check(answer.facts, answer.pairs)
        held = replace(
            answer,
            facts=tuple(fact for fact in answer.facts if fact not in wrong.unverified_facts),
            pairs=tuple(pair for pair in answer.pairs if pair not in wrong.unverified_pairs),
        )
        return self.learn(question, held, verdict, cited=view.chunks_of(answer.chunks))


@dataclass(frozen=True, slots=True)
class _Case:
    """What one question's outputs are judged with."""

    question: str
    view: View
    gate: GateName
    goals: Goals | None
    validators: Validators
    known: tuple[str, ...]
    exclude: Callable[[Fact, Fact], bool]

    def judge(
        self, outputs: Sequence[ReasoningOutput]
    ) -> tuple[tuple[Judged, ...], ReasoningOutput, Verdict]:
        """Judge each output by itself; then join those that pass (all, if none does) and judge the answer."""
        each = tuple(Judged(output, self._verdict(output)) for output in outputs)
        kept = [judged for judged in each if judged.verdict.passed] or list(each)
        if len(kept) == 1:
            return each, kept[0].output, kept[0].verdict
        parts = tuple(judged.output for judged in kept)
        answer = join(parts)
        return each, answer, self._verdict(answer, parts)

    def facts(self, outputs: Sequence[ReasoningOutput]) -> tuple[Fact, ...]:
        """Return the facts that outputs used."""
        return self.view.facts_of([fact for output in outputs for fact in output.facts])

    def disagreements(self, outputs: Sequence[ReasoningOutput]) -> tuple[Disagreement, ...]:
        """Return what outputs contradict each other in."""
        used = {fact.id: fact for fact in self.facts(outputs)}
        return disagreements(outputs, used, exclude=self.exclude)

    def _verdict(self, output: ReasoningOutput, parts: tuple[ReasoningOutput, ...] = ()) -> Verdict:
        case = Case(
            question=self.question,
            output=output,
            parts=parts,
            facts=self.facts([output]),
            passages=tuple(chunk.text for chunk in self.view.chunks_of(output.chunks)),
            opposed=tuple(each.about for each in self.disagreements(parts)),
            known=self.known,
            goals=self.goals,
        )
        return judge(validate(case, self.validators), gate=self.gate)


def _orchestrate(
    question: str, chosen: Assembled, view: View, similarity: Similarity
) -> tuple[tuple[ModuleChoice, ...], Ran]:
    """Choose modules and run them; raises NothingRecalled or ModelError where none concludes anything."""
    if not chosen.modules:
        raise UsageError(
            "no module has anything to reason over",
            hint="give --rules, --table or --announcements, or set BAMBOO_MODEL",
        )
    choices = choose(question, chosen.modules, similarity=similarity, named=chosen.named)
    by_name = {module.name: module for module in chosen.modules}
    ran = run(question, [by_name[each.module] for each in choices if each.chosen], view)
    ran = replace(ran, silent=(*ran.silent, *chosen.broken))
    if not ran.outputs:
        raise _nothing(question, ran)
    return choices, ran


def _nothing(question: str, ran: Ran) -> NothingRecalled | ModelError:
    said = "; ".join(f"{each.module}: {each.reason}" for each in ran.silent)
    message = f"nothing can be concluded about {question[:80]!r}: {said}"
    if any(each.kind == "model" for each in ran.silent):
        return ModelError(message)
    return NothingRecalled(message)


def _require(question: str, validators: str) -> None:
    if not question.strip():
        raise UsageError("the question is empty", hint="say what is to be reasoned about")
    if validators not in get_args(Form):
        raise UsageError(f"no form of the validators is called {validators!r}", hint="use rules or model")
