"""The door to Neo4j: one client that reads and writes by statement name.

Reads are auto-commit statements with read access, repeated from the first after a transient error.
Writes are managed transactions with a timeout. What the driver raises becomes one of our own errors.
"""

from __future__ import annotations

import logging
import random
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import neo4j
from neo4j import exceptions

from bamboo_neo4j.errors import BambooError, DamagedGraph, DatabaseError, OutcomeUnknown, UsageError
from bamboo_neo4j.graph.shapes import checked
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.settings import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

T = TypeVar("T")
Row = dict[str, Any]

OLDEST_SERVER = (5, 26)
SCHEMES = {f"{name}{tls}" for name in ("bolt", "neo4j") for tls in ("", "+s", "+ssc")}
WRITE_TIMEOUT = 120.0
"""Seconds a write may hold the memory's lock: a frozen client must not hold it for ever."""
RETRY_TIME = 45.0
"""Seconds to go on trying while the server is away or a transaction was chosen to give way."""
READS, PAUSE = 3, 0.1
"""Times that a read is tried which meets what another program is deleting, and seconds between them."""
SHOWN_ITEMS, SHOWN_CHARACTERS = 3, 80
"""How much of a parameter the trace shows."""

_log = logging.getLogger(__name__)
_SILENT = logging.NullHandler()
"""For what the driver logs: without a handler Python prints its warnings on standard error."""


class Target(NamedTuple):
    """Where a client is connected to, as it may be printed."""

    uri: str
    database: str


class Transaction:
    """One attempt of a write: runs statements by name and keeps their rows."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def run(self, name: str, parameters: Mapping[str, object]) -> list[Row]:
        """Run the statement called `name` and return its rows."""
        started = time.perf_counter()
        result = self._transaction.run(_query(name), dict(parameters))
        rows = [_row(record) for record in result]
        _trace(name, parameters, result.consume(), started)
        return rows


class GraphClient:
    """A connection to one database; safe to share between threads."""

    def __init__(
        self,
        driver: neo4j.Driver,
        database: str | None = None,
        *,
        uri: str = "",
        owns: bool = True,
        patience: float = RETRY_TIME,
    ) -> None:
        self._patience = patience
        self._driver = driver
        self._database = database or None
        self._owns = owns
        self.target = Target(redact(uri) or "the given driver's server", database or "the default database")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the driver, unless it was given by the caller."""
        if self._owns:
            self._driver.close()

    def on(self, database: str) -> GraphClient:
        """Return a client for another database of the same server; it shares this one's connection."""
        return GraphClient(self._driver, database, uri=self.target.uri, owns=False, patience=self._patience)

    def version(self) -> str:
        """Return the server's version; raise DatabaseError when it cannot be reached or is too old."""
        with self._errors(), self._session(neo4j.READ_ACCESS) as session:
            summary = session.run(_query("inspect/state"), memory="").consume()
        version = summary.server.agent.partition("/")[2]
        if _numbers(version) < OLDEST_SERVER:
            raise DatabaseError(
                f"Neo4j at {self.target.uri} is {version}, which is too old",
                hint="bamboo needs Neo4j 5.26 or later",
            )
        return version

    def read(self, name: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        """Run one statement with read access; repeat it after a transient error for a while.

        A row that no statement may give is asked for again: reading is not isolated, and what another
        program deletes meanwhile has no properties left. Raises DamagedGraph if it stays so.
        """
        run = partial(self._run, name, parameters or {}, access=neo4j.READ_ACCESS)
        for _ in range(READS - 1):
            with suppress(DamagedGraph):
                return self._retry(run)
            time.sleep(PAUSE)
        return self._retry(run)

    def stream(self, name: str, parameters: Mapping[str, object] | None = None) -> Iterator[Row]:
        """Yield the rows of a read statement as they arrive, without holding them all."""
        started = time.perf_counter()
        with self._errors(), self._session(neo4j.READ_ACCESS, fetch_size=1000) as session:
            result = session.run(_query(name), dict(parameters or {}))
            for record in result:
                yield checked(name, _row(record), parameters)
            _trace(name, parameters or {}, result.consume(), started)

    def run_text(self, text: str) -> list[Row]:
        """Run one statement of a migration or an EXPLAIN by itself, as an auto-commit transaction."""
        started = time.perf_counter()
        with self._errors(), self._session(neo4j.WRITE_ACCESS) as session:
            result = session.run(text)
            rows = [_row(record) for record in result]
            _trace(text, {}, result.consume(), started)
        return rows

    def write(self, work: Callable[[Transaction], T], *, timeout: float = WRITE_TIMEOUT) -> T:
        """Run `work` in a write transaction; it is run again after a transient error or a lost connection.

        `work` must read what it depends on inside the transaction: then running it again after a commit
        whose outcome is unknown finds its own work done and changes nothing.
        Raises OutcomeUnknown when the server stays away after such a commit.
        """
        attempt = neo4j.unit_of_work(timeout=timeout)(lambda transaction: work(Transaction(transaction)))
        unknown = False

        def once() -> T:
            nonlocal unknown
            with self._session(neo4j.WRITE_ACCESS) as session:
                try:
                    return session.execute_write(attempt)
                except exceptions.IncompleteCommit:
                    unknown = True
                    raise

        try:
            return self._retry(once)
        except DatabaseError as error:
            if not unknown:
                raise
            raise OutcomeUnknown(
                f"the connection to {self.target.uri} broke while committing: the last write may be stored",
                hint="run the same command again: what is stored already is not counted twice",
            ) from error

    def _run(self, name: str, parameters: Mapping[str, object], *, access: str) -> list[Row]:
        started = time.perf_counter()
        with self._session(access) as session:
            result = session.run(_query(name), dict(parameters))
            rows = [checked(name, _row(record), parameters) for record in result]
            if _log.isEnabledFor(logging.DEBUG):
                _trace(name, parameters, result.consume(), started)
        return rows

    def _retry(self, work: Callable[[], T]) -> T:
        """Do `work` again after an error that passes; a write has been tried by the driver until then."""
        deadline = time.monotonic() + self._patience
        pause = 0.1
        while True:
            try:
                return work()
            except (exceptions.Neo4jError, exceptions.DriverError) as error:
                again = error.is_retryable() or isinstance(error, exceptions.IncompleteCommit)
                if not again or time.monotonic() + pause > deadline:
                    raise self._explain(error) from error
            except UnicodeEncodeError as error:
                raise _no_text(error) from error
            time.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311 - spreads retries, guards nothing
            pause = min(pause * 2, 3.0)

    def _session(self, access: str, *, fetch_size: int = -1) -> neo4j.Session:
        return self._driver.session(
            database=self._database,
            default_access_mode=access,
            fetch_size=fetch_size,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (exceptions.Neo4jError, exceptions.DriverError) as error:
            raise self._explain(error) from error
        except UnicodeEncodeError as error:
            raise _no_text(error) from error

    def _explain(self, error: exceptions.Neo4jError | exceptions.DriverError) -> BambooError:
        return explain(error, self.target)


def connect(
    uri: str,
    *,
    username: str = "",
    password: str = "",
    database: str | None = None,
    auth: object = None,
    patience: float = RETRY_TIME,
) -> GraphClient:
    """Connect to the server at `uri` and check that it answers and is new enough.

    `patience`: seconds for which a statement is tried again while the server is away.
    """
    target = Target(redact(uri), database or "the default database")
    if uri.partition("://")[0] not in SCHEMES:
        raise DatabaseError(
            f"{target.uri!r} is not the address of a Neo4j server's Bolt port",
            hint="use bolt://, neo4j:// or, with TLS, bolt+s:// or neo4j+s://, such as bolt://localhost:7687",
        )
    logging.getLogger("neo4j").addHandler(_SILENT)  # the same one: it is there once, however often we connect
    credentials: Any = auth if auth is not None else ((username, password) if password else None)
    try:
        driver = neo4j.GraphDatabase.driver(
            uri,
            auth=credentials,
            user_agent="bamboo-neo4j",
            connection_timeout=10.0,
            max_transaction_retry_time=patience,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
    except (exceptions.DriverError, ValueError) as error:
        raise DatabaseError(
            f"{target.uri!r} is not the address of a Neo4j server: {_first_line(error)}",
            hint="use bolt://, neo4j:// or, with TLS, bolt+s:// or neo4j+s://, such as bolt://localhost:7687",
        ) from None
    client = GraphClient(driver, database, uri=uri, patience=patience)
    try:
        client.version()
    except BaseException:
        client.close()
        raise
    return client


def explain(error: exceptions.Neo4jError | exceptions.DriverError, target: Target) -> BambooError:
    """Turn what the driver raised into one line and a next step; never holds a secret."""
    code = getattr(error, "code", None) or ""
    if code.endswith(_DAMAGED):
        return DamagedGraph("", _first_line(getattr(error, "message", None) or code)[:120])
    for ending, (message, hint) in _BY_CODE.items():
        if code.endswith(ending):
            return DatabaseError(message.format(uri=target.uri, database=target.database), hint=hint)
    if isinstance(error, exceptions.Neo4jError) and any(text in str(error.message) for text in _DISK):
        return DatabaseError(
            f"Neo4j at {target.uri} cannot write to its disk, which may be full; its last write is lost",
            hint="make room and restart it (bamboo server stop, then start): what was stored is kept",
        )
    if isinstance(error, exceptions.Neo4jError):
        return DatabaseError(
            f"Neo4j at {target.uri} refused a statement: {_first_line(error.message or code)}",
            hint="run it with --debug for the whole report",
        )
    return _explain_connection(error, target)


def _explain_connection(error: exceptions.DriverError, target: Target) -> DatabaseError:
    chain = " ".join(_chain(error))
    if "CERTIFICATE" in chain.upper():
        return DatabaseError(
            f"the certificate of {target.uri} is not trusted",
            hint="for a self-signed certificate use the scheme bolt+ssc:// or neo4j+ssc://",
        )
    if "SSL" in chain.upper() or "TLS" in chain.upper():
        return DatabaseError(
            f"{target.uri} does not speak TLS", hint="use bolt:// or neo4j:// for a server without TLS"
        )
    if "HTTP" in chain:
        return DatabaseError(
            f"{target.uri} is an HTTP port, not a Bolt port", hint="the Bolt port is usually 7687"
        )
    if "routing information" in chain:
        return DatabaseError(
            f"{target.uri} gave no routing information: no server there, or not one of a cluster",
            hint="is it running? for a single server try bolt:// in place of neo4j://",
        )
    return DatabaseError(
        f"cannot reach Neo4j at {target.uri}: {_first_line(error)}",
        hint="is it running? bamboo doctor shows the settings in force and where each came from",
    )


_DAMAGED = ("Statement.TypeError", "Statement.ArgumentError", "Statement.ArithmeticError")
"""What Neo4j says when a statement meets a value that it cannot work with: ours are planned by type."""
_DISK = ("Could not append transaction", "encountered a critical error, and needs to be restarted")
"""What Neo4j says when it could not write its transaction log, and from then on until it is restarted."""

_BY_CODE = {
    "Security.Unauthorized": (
        "Neo4j at {uri} refused the user name or password",
        "check NEO4J_USERNAME and NEO4J_PASSWORD; it was tried once only",
    ),
    "Security.AuthenticationRateLimit": (
        "Neo4j at {uri} has locked this user for a while after wrong passwords",
        "wait some seconds, then try the right password",
    ),
    "Security.CredentialsExpired": (
        "Neo4j at {uri} wants the password changed first",
        "run on its database system: ALTER CURRENT USER SET PASSWORD FROM 'old' TO 'new'",
    ),
    "Database.DatabaseNotFound": (
        "Neo4j at {uri} has no database {database!r}",
        "check NEO4J_DATABASE or --database; Neo4j Community has one, called neo4j",
    ),
    "Transaction.DeadlockDetected": (
        "other writers stood in the way of a write to Neo4j at {uri} for too long",
        "run it again: nothing of it was stored",
    ),
    "Transaction.TransactionTimedOutClientConfiguration": (
        "a write to Neo4j at {uri} took too long and was rolled back",
        "run it again: nothing of it was stored",
    ),
    "General.MemoryPoolOutOfMemoryError": (
        "Neo4j at {uri} ran out of memory for one transaction; it was rolled back",
        "raise dbms.memory.transaction.total.max on the server",
    ),
    "Cluster.NotALeader": (
        "Neo4j at {uri} does not take writes",
        "use the neo4j:// scheme, so that writes find the leader",
    ),
    "General.ForbiddenOnReadOnlyDatabase": ("the database at {uri} is read-only", "ask for a writable one"),
}


def _row(record: neo4j.Record) -> Row:
    """Return a record by its keys; `Record.data` would look for nodes in every value, and ours hold none."""
    return dict(zip(record.keys(), record, strict=True))


def _query(name: str) -> str:
    return load(name).text


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("-", maxsplit=1)[0].split(".")
    return tuple(int(part) for part in parts[:2] if part.isdigit())


def _no_text(error: UnicodeEncodeError) -> UsageError:
    """Return what is wrong with a parameter that holds half a surrogate pair, as bytes of a shell become."""
    shown = error.object[max(0, error.start - 20) : error.end + 20]
    return UsageError(f"{shown!r} is no text in UTF-8")


def _first_line(error: object) -> str:
    lines = redact(str(error)).splitlines() or [type(error).__name__]
    return lines[0][:300]


def _chain(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield f"{type(error).__name__}: {error}"
        error = error.__cause__ or error.__context__


def _trace(name: str, parameters: Mapping[str, object], summary: neo4j.ResultSummary, started: float) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    shown = {key: _short(value) for key, value in parameters.items()}
    counters = {key: value for key, value in vars(summary.counters).items() if value and key[0] != "_"}
    _log.debug("%s %s %s %.1f ms", name, shown, counters, (time.perf_counter() - started) * 1000)


def _short(value: object) -> object:
    if isinstance(value, (list, tuple, dict)) and len(value) > SHOWN_ITEMS:
        return f"{len(value)} items"
    shown = repr(value)
    return shown if len(shown) <= SHOWN_CHARACTERS else shown[:SHOWN_CHARACTERS] + "…"
