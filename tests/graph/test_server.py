"""The managed local server, started for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neo4j import Driver


def test_the_session_server_answers(driver: Driver) -> None:
    assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_an_empty_database_has_nothing_left(empty_database: Driver) -> None:
    assert empty_database.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"] == 0
    assert (
        empty_database.execute_query("SHOW CONSTRAINTS YIELD name RETURN count(*) AS n").records[0]["n"] == 0
    )
