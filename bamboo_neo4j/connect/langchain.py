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
from pydantic import ConfigDict, Field

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.memory import Memory  # noqa: TC001 - pydantic reads the annotation

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun

    from bamboo_neo4j.records import RecalledChunk


class BambooRetriever(BaseRetriever):
    """Returns the chunks that a memory recalls, best first; nothing where it has not learned what is asked.

    `k` and `tokens` bound how many chunks come back and how long they are together; both can be given at
    construction and to `invoke`. The metadata of a document holds its `id`, `document`, `title`, `ordinal`,
    `tokens`, `score` and `via`, the edges that led to it. Asynchronous calls run in LangChain's executor:
    a `Memory` may be used from several threads.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    k: int = Field(default=5, ge=1)
    tokens: int | None = Field(default=None, ge=1)

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
            found = self.memory.recall(
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
