"""Asking: a question answered from the memory by a model and checked by a second one, or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol, Self, get_args, runtime_checkable

from bamboo_neo4j.errors import BambooError, ModelError, NothingRecalled, UsageError
from bamboo_neo4j.learn.gate import judge
from bamboo_neo4j.memory.learning import Learning, goals_of
from bamboo_neo4j.memory.questions import Questions
from bamboo_neo4j.memory.recalling import Recalling
from bamboo_neo4j.memory.stating import Stating, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date
    from typing import Unpack

    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.learn.claims import GraphChecker
    from bamboo_neo4j.learn.goals import Goals
    from bamboo_neo4j.memory.learning import GoalsGiven
    from bamboo_neo4j.models.cached import CachedChat
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.asking import AskOptions, Rest, Tools
    from bamboo_neo4j.reason.retrieval import Source
    from bamboo_neo4j.records import Fact, GateName, ReasoningOutput, Verdict

MOST_NAMES = 24
"""Names whose facts are looked up for one question."""
FACTS_A_NAME = 20
"""Facts of one name at each end; a hub has thousands."""
ANSWERS = "answers.sqlite3"
"""The file in the cache folder that replies are kept in."""


Form = Literal["rules", "model"]
"""The form of the validators: rules, which need no model, or a model."""


@runtime_checkable
class Closing(Protocol):
    """A model with connections to close."""

    def close(self) -> None:
        """Close them."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """What an answer is judged by: the gate, the user's goals, and the time that facts are taken of.

    `form` is that of the validators.
    """

    gate: GateName
    goals: Goals | None
    when: datetime
    form: Form

    @classmethod
    def of(cls, gate: GateName, form: Form, *, goals: GoalsGiven | None, as_of: str | date | None) -> Self:
        judge((), gate=gate)  # raises for a gate that there is not
        require_form(form)
        return cls(gate, goals_of(goals), moment(as_of) or datetime.now(UTC), form)


class Asking(Recalling, Questions, Stating, Learning):
    """What answers questions."""

    def ask(
        self,
        question: str,
        *,
        as_of: str | date | None = None,
        goals: GoalsGiven | None = None,
        gate: GateName = "quality",
        validators: Form = "rules",
        learn: bool = True,
        store: bool = True,
        **options: Unpack[AskOptions],
    ) -> Asked:
        """Answer a question from the memory with citations, or say "I don't know" and why.

        The question is taken apart (`depth`, `max_nodes`), looked up once, answered bottom-up, and each
        answer checked by the second model. Options: `plan` (plan only), `decompose`, `use_global`, `verify`
        (False switches that part off), `rethink` ("again" or "keep") and `rethinks`, `second_lookup`,
        `max_calls`, `max_tokens`, `max_seconds`, `model` and `verifier` (a name, or any LangChain chat
        model), `embeddings` (LangChain, for similarity by meaning), `cache` (keep replies on disk).
        Facts are taken `as_of` a day or time (now). What was asked is stored in the graph (`store`); an
        answer that passes the `gate`, aligned with `goals` if there are some, is an episode (`learn`). The
        `validators` are rules, or a "model": the one that checks answers, within the same limits. A limit
        that is reached ends in an abstention whose `limit` names it.

        Raises:
            NothingRecalled: the memory holds no document and no fact.
            ModelError: no model is configured, or its service failed.
            UsageError: an option or the question cannot be used.
            InputError: the goals cannot be used.

        """
        from bamboo_neo4j.reason import asking

        asking.require_words(question)
        measure = _Measure.of(gate, validators, goals=goals, as_of=as_of)
        way = asking.way_of(options, window=int(self._settings.number("model_window")))
        with ExitStack() as opened:
            model, verifier = self._asking_models(options, opened)
            self._require_evidence()
            source = self._asking_source(measure.when)
            tools = self._asking_tools((model, verifier), source, options=options, opened=opened)
            asked = asking.ask(question, memory=self.name, way=way, tools=tools)
            if learn:
                rest = asking.Rest(asked.spent, way.limits, tools)
                asked = self._noted(
                    asked, "it was not learned from", lambda found: self._learned_from(found, measure, rest)
                )
        if store and not way.plan:
            asked = self._noted(asked, "it was not stored", self._stored)
        return asked

    def _require_evidence(self) -> None:
        """Raise NothingRecalled when there is neither a document nor a fact to answer from."""
        try:
            self._require_some()
        except NothingRecalled:
            new = self._state.language is None
            if new or self._state.wiping or next(iter(self.facts()), None) is None:
                raise

    def _noted(self, asked: Asked, what: str, work: Callable[[Asked], Asked]) -> Asked:
        """Do `work` with what was asked; an answer that was paid for is not lost because nobody may write."""
        try:
            return work(asked)
        except BambooError as error:
            return replace(asked, notes=(*asked.notes, f"{what}: {error.message}"))

    def _stored(self, asked: Asked) -> Asked:
        self.store_question(asked)
        return asked

    def _asking_models(self, options: AskOptions, opened: ExitStack) -> tuple[ChatModel, ChatModel]:
        """Return the model that answers and the one that checks; `opened` closes what is opened here."""
        named, checking = options.get("model"), options.get("verifier")
        try:
            model = self._answering_model(named)
            verifier = self._checking_model(checking, model, named)
        except ModelError as error:
            raise ModelError(
                f"asking needs a model: {error.message}",
                hint=f"{error.hint}; bamboo recall finds the evidence without one",
            ) from None
        for chat in (model, verifier):
            if isinstance(chat, Closing) and chat is not named and chat is not checking:
                opened.callback(chat.close)  # what the caller gave stays open
        return model, verifier

    def _answering_model(self, model: str | ChatModel | BaseChatModel | None) -> ChatModel:
        from bamboo_neo4j.models.chat import as_chat, open_chat

        if model is None or isinstance(model, str):
            return open_chat(self._settings, model=model)
        return as_chat(model)

    def _checking_model(
        self,
        verifier: str | ChatModel | BaseChatModel | None,
        model: ChatModel,
        named: str | ChatModel | BaseChatModel | None,
    ) -> ChatModel:
        """Return the model that checks: the one given, else the settings', else the one that answers."""
        from bamboo_neo4j.models.chat import as_chat, open_verifier

        if verifier is not None and not isinstance(verifier, str):
            return as_chat(verifier)
        if verifier or self._settings["verifier_model"] or self._settings["verifier_url"]:
            fallback = named if isinstance(named, str) and not self._settings["verifier_model"] else None
            return open_verifier(self._settings, model=verifier or fallback)
        return model

    def _cached(
        self, model: ChatModel, verifier: ChatModel, opened: ExitStack
    ) -> tuple[CachedChat, CachedChat]:
        """Return the models with the answers on disk before them."""
        from bamboo_neo4j.models.cached import Answers, CachedChat

        kept = Answers(self._settings.cache / ANSWERS)
        opened.callback(kept.close)
        service = self._settings["model_url"]
        other = self._settings["verifier_url"] or service
        return CachedChat(model, kept, service=service), CachedChat(verifier, kept, service=other)

    def _asking_tools(
        self, models: tuple[ChatModel, ChatModel], source: Source, *, options: AskOptions, opened: ExitStack
    ) -> Tools:
        from bamboo_neo4j.memorise.tokens import count_tokens
        from bamboo_neo4j.reason.asking import Tools
        from bamboo_neo4j.reason.similarity import lexical, semantic

        cached = self._cached(*models, opened) if options.get("cache") else ()
        model, verifier = cached or models
        embeddings = options.get("embeddings")
        return Tools(
            model=model,
            verifier=verifier,
            source=source,
            words=self.normaliser,
            similarity=lexical(self.normaliser) if embeddings is None else semantic(embeddings),
            count=count_tokens,
            hits=lambda: sum(one.hits for one in cached),
        )

    def _asking_source(self, when: datetime) -> Source:
        from bamboo_neo4j.reason.retrieval import CHUNKS, Source

        return Source(
            recall=lambda text: self.recall(text, limit=CHUNKS, associations=False),
            facts=lambda names: self._facts_about(names, when),
            tags=self._tags_of,
        )

    def _facts_about(self, names: Sequence[str], when: datetime) -> Iterator[Fact]:
        """Yield the facts that have one of `names` at either end and are valid at the time."""
        if next(iter(self.facts()), None) is None:
            return
        for name in names[:MOST_NAMES]:
            yield from islice(self.facts(subject=name, as_of=when), FACTS_A_NAME)
            yield from islice(self.facts(object=name, as_of=when), FACTS_A_NAME)

    def _tags_of(self, chunks: Sequence[str]) -> Mapping[str, Sequence[str]]:
        rows = self._client.read("reason/tags_of_chunks", {"ids": list(chunks)})
        return {row["id"]: row["tags"] for row in rows}

    def _learned_from(self, asked: Asked, measure: _Measure, rest: Rest) -> Asked:
        """Let the gate judge the answer's claims, and record it as an episode."""
        output = asked.output
        if output is None:
            return asked
        from bamboo_neo4j.learn.claims import GraphChecker

        check = GraphChecker(self._client.read, self.name, self.normaliser, as_of=measure.when)
        verdict = self._judge_answer(asked, output, check=check, measure=measure, rest=rest)
        asked = replace(asked, spent=rest.spent)
        held = check(output.facts, output.pairs).held(output)
        episode = self.learn(asked.question, held, verdict, cited=asked.chunks)
        return replace(asked, gate=verdict, episode=episode.id)

    def _judge_answer(
        self,
        asked: Asked,
        output: ReasoningOutput,
        *,
        check: GraphChecker,
        measure: _Measure,
        rest: Rest,
    ) -> Verdict:
        from bamboo_neo4j.learn.judging import by_model
        from bamboo_neo4j.learn.validators import Case, Tools, deterministic, validate

        tools = Tools(self.normaliser, rest.tools.similarity, check)
        case = Case(
            question=asked.question,
            output=output,
            facts=asked.facts,
            passages=tuple(chunk.text for chunk in asked.chunks),
            known=self._earlier_answers(),
            goals=measure.goals,
        )
        validators = by_model(rest.chat, tools) if measure.form == "model" else deterministic(tools)
        return judge(validate(case, validators), gate=measure.gate)


def require_form(validators: str) -> None:
    """Raise UsageError for a form of the validators that there is not."""
    if validators not in get_args(Form):
        raise UsageError(f"no form of the validators is called {validators!r}", hint="use rules or model")
