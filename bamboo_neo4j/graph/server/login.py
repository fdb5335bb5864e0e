"""The first words with a server that has just started: does it answer, and has it our password?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError

if TYPE_CHECKING:
    from neo4j import Driver

    from bamboo_neo4j.graph.server.state import RunningServer

FIRST = "neo4j"  # the password of a new store, which has to be changed before anything else
SECONDS = 90.0
POLL = 0.1


def answers(server: RunningServer) -> bool:
    """Whether the server runs a query on its database now."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with _open(server, server.password) as driver:
            driver.execute_query("RETURN 1", database_="neo4j")
    except (DriverError, Neo4jError):
        return False
    return True


def log_in(server: RunningServer, *, confirmed: bool) -> None:
    """Give a new store its password, and wait until its database answers.

    `confirmed` says that the store is known to have the password already. Raises ServerError when the store
    has another one.
    """
    if server.password and not confirmed:
        _set_password(server)
    end = time.monotonic() + SECONDS
    while not answers(server):
        if time.monotonic() > end:
            raise ServerError(
                f"Neo4j listens at {server.uri} but runs no query",
                hint="see `bamboo server logs`; when its data can go, `bamboo server reset`",
            )
        time.sleep(POLL)


def _set_password(server: RunningServer) -> None:
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    statement = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
    end = time.monotonic() + SECONDS
    while True:
        try:
            with _open(server, FIRST) as driver:
                driver.execute_query(statement, old=FIRST, new=server.password, database_="system")
        except AuthError:
            return  # an earlier start was cut off after setting it: log_in shows whether it is ours
        except (DriverError, Neo4jError):
            if time.monotonic() > end:
                raise
            time.sleep(POLL)
        else:
            return


def _open(server: RunningServer, password: str) -> Driver:
    from neo4j import GraphDatabase

    return GraphDatabase.driver(
        server.uri,
        auth=(server.username, password) if server.password else None,
        connection_timeout=5,
        max_transaction_retry_time=0,
        notifications_min_severity="OFF",
    )
