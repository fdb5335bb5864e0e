"""A memory as a LangChain retriever.

from bamboo_neo4j import Memory
from bamboo_neo4j.connect.langchain import BambooRetriever

retriever = BambooRetriever(memory=Memory.open("notes"), k=5)
retriever.invoke("Who performed the album Green?")
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, PrivateAttr

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.memory import Memory

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun

    from bamboo_neo4j.records import RecalledChunk


class BambooRetriever(BaseRetriever):
    """Returns the chunks that a memory recalls, best first; nothing where it has not learned what is asked.

    `memory` is an open `Memory` or the name of one, which is then opened as the settings say.
    `k` and `tokens` bound how many chunks come back and how long they are together; both can be given at
    construction and to `invoke`. The metadata of a document holds its `id`, `document`, `title`, `ordinal`,
    `tokens`, `score` and `via`, the edges that led to it. Asynchronous calls run in LangChain's executor:
    a `Memory` may be used from several threads.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory | str
    k: int = Field(default=5, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    _opened: Memory = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401 - the signature of pydantic
        """Open the memory if it was given by name."""
        super().model_post_init(context)
        self._opened = Memory.open(self.memory) if isinstance(self.memory, str) else self.memory

    def close(self) -> None:
        """Close the memory if the retriever opened it."""
        if self._opened is not self.memory:
            self._opened.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - the signature of LangChain
        k: int | None = None,
        tokens: int | None = None,
        **_kwargs: Any,  # noqa: ANN401 - LangChain passes on what it was given
    ) -> list[Document]:
        try:
            found = self._opened.recall(
                query, limit=k or self.k, tokens=tokens or self.tokens, associations=False
            )
        except NothingRecalled:
            return []
        return [_document(chunk) for chunk in found.chunks]


def _document(chunk: RecalledChunk) -> Document:
    values = asdict(chunk)
    text = values.pop("text")
    values["via"] = [dict(via) for via in values["via"]]
    return Document(id=chunk.id, page_content=text, metadata=values)
