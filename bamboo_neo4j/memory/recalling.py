"""Recalling: from a question to chunks and associations; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.memory.opened import Opened
from bamboo_neo4j.recall import retrieve

if TYPE_CHECKING:
    from bamboo_neo4j.records import Association, Ranking, Recall


class Recalling(Opened):
    """What reads a memory by question."""

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        first: int = 5,
        second: int = 3,
        ranking: Ranking = "bamboo",
        associations: bool = True,
    ) -> Recall:
        """Recall chunks and associations for a question, without a model and without a write.

        At most `limit` chunks of at most `tokens` tokens together; `first` and `second` are the neighbours of
        a cue and of each of those. Raises NothingRecalled when the memory has not learned what is asked.
        """
        request = retrieve.Request(
            question=question,
            memory=self.name,
            limit=retrieve.LIMIT if limit is None else limit,
            tokens=tokens,
            first=first,
            second=second,
            ranking=ranking,
            associations=associations,
        )
        return self._current(lambda words: retrieve.recall(request, read=self._client.read, normaliser=words))

    def neighbours(self, tag: str, *, first: int = 20, second: int = 0) -> tuple[Association, ...]:
        """Return the first- and second-degree neighbours of a tag; raises NotFound when it is not known."""
        sizes, read = {"first": first, "second": second}, self._client.read
        return self._current(
            lambda words: retrieve.neighbours(tag, read=read, normaliser=words, memory=self.name, **sizes)
        )

    def explain(self, recall: Recall) -> str:
        """Return a Cypher statement that draws the paths of `recall` in Neo4j Browser."""
        return retrieve.explain(recall, load("recall/explain").text)
