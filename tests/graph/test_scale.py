"""Large answers: listings come as they are read, and what a budget cuts off is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bamboo_neo4j import Memory
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from bamboo_neo4j.settings import Settings

COUNT = 150


def test_p36_what_matches_everything_is_cut_with_a_notice_and_listed_as_it_is_read(
    settings: Settings,
) -> None:
    with Memory.open(settings=settings) as memory:
        memory.remember(
            Document(f"d{number}", "", "", f"Ada Kern met Leo Brandt in Port {number}.", "text/plain")
            for number in range(COUNT)
        )
        recalled = memory.recall("Ada Kern, Leo Brandt")
        assert 0 < len(recalled.chunks) < COUNT
        few = memory.recall("Ada Kern, Leo Brandt", tokens=60)
        assert 0 < sum(chunk.tokens for chunk in few.chunks) <= 60
        assert few.truncated
        documents = memory.documents()
        assert isinstance(documents, Iterator)
        assert len([row["id"] for row in documents]) == COUNT
        memory.forget_all()
