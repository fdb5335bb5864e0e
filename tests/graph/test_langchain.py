"""The retriever passes LangChain's own standard tests on a real memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from bamboo_neo4j import Memory
from bamboo_neo4j.connect.langchain import BambooRetriever

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.settings import Settings

TEXTS = (
    "Ada Kern performed the album Green in Port Linnet.",
    "Ada Kern is married to Leo Brandt.",
    "Leo Brandt built the lighthouse of Port Linnet.",
    "The album Green was recorded in the lighthouse.",
)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory.open(settings=settings) as opened:
        opened.remember(TEXTS)
        yield opened
        opened.forget_all()


class TestBambooRetriever(RetrieversIntegrationTests):
    """LangChain's standard tests."""

    held: ClassVar[Memory]

    @pytest.fixture(autouse=True)
    def hold(self, memory: Memory) -> None:
        type(self).held = memory

    @property
    def retriever_constructor(self) -> type[BambooRetriever]:
        return BambooRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.held}

    @property
    def retriever_query_example(self) -> str:
        return "Who is married to the performer of the album Green by Ada Kern in Port Linnet?"


def test_metadata_says_where_a_document_is_from_and_what_led_to_it(memory: Memory) -> None:
    found = BambooRetriever(memory=memory, k=1).invoke("Who is married to Ada Kern?")[0]
    assert found.page_content == TEXTS[1]
    assert set(found.metadata) == {"id", "document", "title", "ordinal", "tokens", "score", "via"}


def test_what_the_memory_has_not_learned_gives_no_documents(memory: Memory) -> None:
    assert BambooRetriever(memory=memory).invoke("zyzzyva quux") == []


def test_a_memory_may_be_given_by_its_name(
    memory: Memory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", settings["uri"])
    retriever = BambooRetriever(memory=memory.name, k=1)
    assert retriever.invoke("Who is married to Ada Kern?")[0].page_content == TEXTS[1]
    retriever.close()
