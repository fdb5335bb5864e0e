"""The first words with a server: wait until it answers, and give a new store its password."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server import process

if TYPE_CHECKING:
    from neo4j import Driver

    from bamboo_neo4j.graph.server.conf import Places
    from bamboo_neo4j.graph.server.state import RunningServer

FIRST = "neo4j"  # the password of a new store, which has to be changed before anything else
DEADLINE = 180.0  # seconds; ten is usual, fifty on a machine that does five other things
POLL = 0.05
TOLERANT = "internal.dbms.tx_log.fail_on_corrupted_log_files=false"
"""The setting with which Neo4j starts although its log ends in the middle of a write."""


def wait_until_ready(server: RunningServer, places: Places, *, confirmed: bool) -> None:
    """Return when the server runs queries with its password.

    `confirmed` says that its store is known to have that password. Raises ServerError when the process ends,
    stays mute, or has another password.
    """
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if not server.alive():
            raise process.complaint(places)
        if process.listens(server.pid, server.port) and _first_words(server, confirmed=confirmed):
            return
        if process.log_is_torn(places):
            process.end(server)
            raise ServerError(
                "Neo4j's last write to its transaction log was cut short, as on a full disk",
                hint="make room, then drop that write, which was never committed: "
                f"bamboo server start --config {TOLERANT}",
            )
        time.sleep(POLL)
    raise ServerError(
        f"Neo4j runs as process {server.pid} but did not answer within {DEADLINE:.0f} seconds",
        hint="it may be recovering: try again; see `bamboo server logs`, or `bamboo server stop`",
    )


def answers(server: RunningServer) -> bool:
    """Whether the server runs a query now."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        _query(server)
    except (DriverError, Neo4jError):
        return False
    return True


def _first_words(server: RunningServer, *, confirmed: bool) -> bool:
    """Whether the server answered; False where trying again makes sense."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        if server.password and not confirmed:
            _set_password(server)
        _query(server)
    except AuthError as error:
        raise ServerError(
            f"the data in {server.data_dir!r} has another password than the one kept for it",
            hint="write it into kept.json beside it and restart, or delete the data: bamboo server reset",
        ) from error
    except (DriverError, Neo4jError):
        return False
    return True


def _query(server: RunningServer) -> None:
    with _open(server, server.password) as driver:
        driver.execute_query("RETURN 1", database_="neo4j")


def _set_password(server: RunningServer) -> None:
    from neo4j.exceptions import AuthError

    statement = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
    try:
        with _open(server, FIRST) as driver:
            driver.execute_query(statement, old=FIRST, new=server.password, database_="system")
    except AuthError:
        return  # an earlier start was cut off after setting it: the query that follows shows whose it is


def _open(server: RunningServer, password: str) -> Driver:
    from neo4j import GraphDatabase

    return GraphDatabase.driver(
        server.uri,
        auth=(server.username, password) if server.password else None,
        connection_timeout=5,
        max_transaction_retry_time=0,
        notifications_min_severity="OFF",
    )
