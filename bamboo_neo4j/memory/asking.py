"""Asking: a question answered from the memory by a model and checked by a second one, or not at all."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, cast

from bamboo_neo4j.errors import ModelError
from bamboo_neo4j.memory.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Unpack

    from langchain_core.language_models import BaseChatModel

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
ANSWERS = "answers.sqlite3"
"""The file in the cache folder that replies are kept in."""


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
        model, verifier, cached = self._models(options)
        self._require_some()
        tools = self._tools(model, verifier, options, cached)
        asked = asking.ask(question, memory=self.name, way=way, tools=tools)
        if learn and asked.output is not None:
            asked = self._learned(asked)
        if store and not way.plan:
            cast("Memory", self).store_question(asked)
        return asked

    def _models(self, options: AskOptions) -> tuple[ChatModel, ChatModel, list[CachedChat]]:
        """Return the model that answers, the one that checks, and those of them that look into a cache."""
        named, checking = options.get("model"), options.get("verifier")
        try:
            model = self._chat(named)
            verifier = self._verifier(checking, model, named)
        except ModelError as error:
            raise ModelError(
                f"asking needs a model: {error.message}",
                hint=f"{error.hint}; bamboo recall finds the evidence without one",
            ) from None
        if not options.get("cache"):
            return model, verifier, []
        from bamboo_neo4j.models.cached import Answers, CachedChat

        kept = Answers(self._settings.cache / ANSWERS)
        first = CachedChat(model, kept, service=self._settings["model_url"])
        second = CachedChat(
            verifier, kept, service=self._settings["verifier_url"] or self._settings["model_url"]
        )
        return first, second, [first, second]

    def _chat(self, model: str | ChatModel | BaseChatModel | None) -> ChatModel:
        from bamboo_neo4j.models.chat import as_chat, open_chat

        if model is None or isinstance(model, str):
            return open_chat(self._settings, model=model)
        return as_chat(model)

    def _verifier(
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

    def _tools(
        self, model: ChatModel, verifier: ChatModel, options: AskOptions, cached: Sequence[CachedChat]
    ) -> Tools:
        from bamboo_neo4j.memorise.tokens import count_tokens
        from bamboo_neo4j.reason.asking import Tools
        from bamboo_neo4j.reason.similarity import lexical, semantic

        embeddings = options.get("embeddings")
        return Tools(
            model=model,
            verifier=verifier,
            source=self._source(),
            words=self.normaliser,
            similarity=lexical(self.normaliser) if embeddings is None else semantic(embeddings),
            count=count_tokens,
            hits=lambda: sum(one.hits for one in cached),
        )

    def _source(self) -> Source:
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

    def _learned(self, asked: Asked) -> Asked:
        """Let the gate judge the answer's claims, and record it as an episode."""
        if asked.output is None:
            return asked
        verdict = self._gate(asked, asked.output)
        episode = cast("Memory", self).learn(asked.question, asked.output, verdict, cited=asked.chunks)
        return replace(asked, gate=verdict, episode=episode.id)

    def _gate(self, asked: Asked, output: ReasoningOutput) -> Verdict:
        from bamboo_neo4j.learn.claims import GraphChecker
        from bamboo_neo4j.learn.gate import judge
        from bamboo_neo4j.learn.validators import Case, Tools, deterministic, validate
        from bamboo_neo4j.reason.similarity import lexical

        words = self.normaliser
        case = Case(
            question=asked.question,
            output=output,
            facts=asked.facts,
            passages=tuple(chunk.text for chunk in asked.chunks),
        )
        check = GraphChecker(self._client.read, self.name, words)
        return judge(validate(case, deterministic(Tools(words, lexical(words), check))))
