"""The schema is made whole beside others who make it, after a broken statement and over slow indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import DatabaseError
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neo4j import Driver

    from bamboo_neo4j.settings import Settings


class Late(GraphClient):
    """A client that another program overtakes just before it looks for a foreign graph."""

    def read(self, name: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        if name == "inspect/foreign":
            with Memory.open("other", driver=self._driver) as other:
                other.remember("Ada Kern lives in Port Linnet.")
        return super().read(name, parameters)


class Broken(GraphClient):
    """A client whose first schema statement fails."""

    failures = 1

    def run_text(self, text: str) -> list[Row]:
        if self.failures:
            self.failures -= 1
            raise DatabaseError("the connection broke")
        return super().run_text(text)


class Slow(GraphClient):
    """A client that sees an index being built for a while."""

    looks = 0

    def read(self, name: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        rows = super().read(name, parameters)
        if name == "inspect/schema":
            self.looks += 1
            if self.looks in {2, 3}:
                rows[0]["indexes"] = [
                    [index, "POPULATING" if index == "tag_name" else state]
                    for index, state in rows[0]["indexes"]
                ]
        return rows


def test_a_graph_that_another_program_made_a_moment_ago_is_not_foreign(empty_database: Driver) -> None:
    schema.prepare(Late(empty_database, owns=False))
    with Memory.open("other", driver=empty_database) as other:
        assert other.recall("Ada Kern").chunks
        other.forget_all()


def test_a_repair_goes_on_after_a_statement_that_failed_once(driver: Driver, settings: Settings) -> None:
    with Memory.open(settings=settings) as memory:
        memory.remember("Ada Kern lives in Port Linnet.")
        driver.execute_query("DROP INDEX episode_status IF EXISTS")
        schema.prepare(Broken(driver, owns=False), again=True)
        assert memory.check() == []
        memory.forget_all()


def test_an_index_that_is_being_built_is_waited_for(driver: Driver) -> None:
    client = Slow(driver, owns=False)
    schema.prepare(client, again=True)
    assert client.looks > 3
