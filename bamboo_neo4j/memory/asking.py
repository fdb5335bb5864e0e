"""Asking: a question answered from the memory by a model and checked by a second one, or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from bamboo_neo4j.errors import BambooError, ModelError
from bamboo_neo4j.memory.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Unpack

    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.learn.claims import GraphChecker
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.models.cached import CachedChat
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.asking import AskOptions, Tools
    from bamboo_neo4j.reason.retrieval import Source
    from bamboo_neo4j.records import Fact, ReasoningOutput, Verdict

MOST_NAMES = 24
"""Names whose facts are looked up for one question."""
FACTS_A_NAME = 20
"""Facts of one name at each end; a hub has thousands."""
EARLIER = 200
"""Earlier answers that novelty is measured against, the newest."""
ANSWERS = "answers.sqlite3"
"""The file in the cache folder that replies are kept in."""


@runtime_checkable
class Closing(Protocol):
    """A model with connections to close."""

    def close(self) -> None:
        """Close them."""


class Asking(Opened):
    """What answers questions."""

    def ask(
        self, question: str, *, learn: bool = True, store: bool = True, **options: Unpack[AskOptions]
    ) -> Asked:
        """Answer a question from the memory with citations, or say "I don't know" and why.

        The question is taken apart (`depth`, `max_nodes`), looked up once, answered bottom-up, and each
        answer checked by the second model. Options: `plan` (plan only), `decompose`, `use_global`, `verify`
        (False switches that part off), `rethink` ("again" or "keep") and `rethinks`, `second_lookup`,
        `max_calls`, `max_tokens`, `max_seconds`, `model` and `verifier` (a name, or any LangChain chat
        model), `embeddings` (LangChain, for similarity by meaning), `cache` (keep replies on disk).
        What was asked is stored in the graph (`store`); an answer that passes the gate is an episode
        (`learn`). A limit that is reached ends in an abstention whose `limit` names it.

        Raises:
            NothingRecalled: the memory is empty.
            ModelError: no model is configured, or its service failed.
            UsageError: an option or the question cannot be used.

        """
        from bamboo_neo4j.reason import asking

        way = asking.way_of(options, window=int(self._settings.number("model_window")))
        with ExitStack() as opened:
            model, verifier = self._asking_models(options, opened)
            self._require_some()
            tools = self._asking_tools(model, verifier, options, opened)
            asked = asking.ask(question, memory=self.name, way=way, tools=tools)
        if learn:
            asked = self._noted(asked, "it was not learned from", self._learned_from)
        if store and not way.plan:
            asked = self._noted(asked, "it was not stored", self._stored)
        return asked

    def _noted(self, asked: Asked, what: str, work: Callable[[Asked], Asked]) -> Asked:
        """Do `work` with what was asked; an answer that was paid for is not lost because nobody may write."""
        try:
            return work(asked)
        except BambooError as error:
            return replace(asked, notes=(*asked.notes, f"{what}: {error.message}"))

    def _stored(self, asked: Asked) -> Asked:
        cast("Memory", self).store_question(asked)
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
        self, model: ChatModel, verifier: ChatModel, options: AskOptions, opened: ExitStack
    ) -> Tools:
        from bamboo_neo4j.memorise.tokens import count_tokens
        from bamboo_neo4j.reason.asking import Tools
        from bamboo_neo4j.reason.similarity import lexical, semantic

        cached = self._cached(model, verifier, opened) if options.get("cache") else ()
        embeddings = options.get("embeddings")
        return Tools(
            model=cached[0] if cached else model,
            verifier=cached[1] if cached else verifier,
            source=self._asking_source(),
            words=self.normaliser,
            similarity=lexical(self.normaliser) if embeddings is None else semantic(embeddings),
            count=count_tokens,
            hits=lambda: sum(one.hits for one in cached),
        )

    def _asking_source(self) -> Source:
        from bamboo_neo4j.reason.retrieval import CHUNKS, Source

        memory = cast("Memory", self)
        return Source(
            recall=lambda text: memory.recall(text, limit=CHUNKS, associations=False),
            facts=self._facts_about,
            tags=self._tags_of,
        )

    def _facts_about(self, names: Sequence[str]) -> Iterator[Fact]:
        """Yield the facts that have one of `names` at either end."""
        memory = cast("Memory", self)
        if next(iter(memory.facts()), None) is None:
            return
        for name in names[:MOST_NAMES]:
            yield from islice(memory.facts(subject=name), FACTS_A_NAME)
            yield from islice(memory.facts(object=name), FACTS_A_NAME)

    def _tags_of(self, chunks: Sequence[str]) -> Mapping[str, Sequence[str]]:
        rows = self._client.read("reason/tags_of_chunks", {"ids": list(chunks)})
        return {row["id"]: row["tags"] for row in rows}

    def _learned_from(self, asked: Asked) -> Asked:
        """Let the gate judge the answer's claims, and record it as an episode."""
        if asked.output is None:
            return asked
        from bamboo_neo4j.learn.claims import GraphChecker

        check = GraphChecker(self._client.read, self.name, self.normaliser)
        verdict = self._judge_answer(asked, asked.output, check)
        wrong = check(asked.output.facts, asked.output.pairs)
        held = replace(
            asked.output,
            facts=tuple(fact for fact in asked.output.facts if fact not in wrong.unverified_facts),
            pairs=tuple(pair for pair in asked.output.pairs if pair not in wrong.unverified_pairs),
        )
        episode = cast("Memory", self).learn(asked.question, held, verdict, cited=asked.chunks)
        return replace(asked, gate=verdict, episode=episode.id)

    def _judge_answer(self, asked: Asked, output: ReasoningOutput, check: GraphChecker) -> Verdict:
        from bamboo_neo4j.learn.gate import judge
        from bamboo_neo4j.learn.validators import Case, Tools, deterministic, validate
        from bamboo_neo4j.reason.similarity import lexical

        words = self.normaliser
        case = Case(
            question=asked.question,
            output=output,
            facts=asked.facts,
            passages=tuple(chunk.text for chunk in asked.chunks),
            known=tuple(row["answer"] for row in self._stream("inspect/answers", limit=EARLIER)),
        )
        return judge(validate(case, deterministic(Tools(words, lexical(words), check))))
