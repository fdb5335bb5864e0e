"""An opened memory: its connection, its state in the database, and what can be read of it as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Self, TypeVar

from bamboo_neo4j.errors import DamagedGraph, NothingRecalled, OtherWordRules
from bamboo_neo4j.graph import check as checking
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.opening import open_client
from bamboo_neo4j.graph.stats import read_stats
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.settings import memory_name, read_settings
from bamboo_neo4j.words import language_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    import neo4j

    from bamboo_neo4j.graph.client import Row
    from bamboo_neo4j.graph.opening import Starting
    from bamboo_neo4j.graph.schema import State
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Fault
    from bamboo_neo4j.settings import Settings

T = TypeVar("T")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Opened:
    """A connection to one memory; `Memory` adds what is done with it."""

    def __init__(self, client: GraphClient, name: str, *, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self.name = memory_name(name)
        self._seen: State | None = schema.read_state(client, self.name)

    @classmethod
    def open(
        cls,
        memory: str | None = None,
        *,
        uri: str | None = None,
        auth: tuple[str, str] | object | None = None,
        database: str | None = None,
        driver: neo4j.Driver | None = None,
        settings: Settings | None = None,
        starting: Starting | None = None,
    ) -> Self:
        """Open a memory; it is made by the first write.

        With no `uri` (and no NEO4J_URI) the managed local server is used, and started if it is not running.
        A `driver` of the caller's is used as it is and stays open. `auth` is (user, password) or a driver
        Auth object. `starting` is told how the start of a managed server goes: a step, bytes done and in all.
        Raises DatabaseError when the server cannot be reached, refuses, is too old or holds another graph.
        """
        flags = {"uri": uri, "database": database, "memory": memory}
        settings = settings or read_settings(flags)
        name = memory_name(memory or settings.memory)
        if driver is not None:
            client = GraphClient(driver, database or settings["database"], owns=False)
            client.version()
        else:
            client = open_client(settings, uri=uri, auth=auth, database=database, starting=starting)
        try:
            return cls(client, name, settings=settings)
        except BaseException:
            client.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    @property
    def address(self) -> str:
        """The address of the server."""
        return self._client.target.uri

    @property
    def server_version(self) -> str:
        """The version of the server."""
        return self._client.version()

    @property
    def schema_version(self) -> int | None:
        """The version of the schema in the database; None before the first write."""
        return self._state.version

    @property
    def language(self) -> str:
        """The language of the memory; of a new one, the one it will be made with."""
        return self._state.language or self._settings["language"]

    @property
    def normaliser(self) -> Normaliser:
        """The normaliser of the memory's language, checked against the one it was written with."""
        if self._state.language is not None and self._state.language not in language_codes():
            raise DamagedGraph(self.name, f"its language is {str(self._state.language)[:40]!r}")
        ours = normaliser(self.language)
        schema.check_normaliser(self.name, stored=self._state.normaliser, ours=ours.fingerprint)
        return ours

    def documents(self) -> Iterator[Row]:
        """Yield documents: id, uri, title, media_type, chunks, tokens, ingested_at, unfinished, reason."""
        return map(_spelled, self._stream("inspect/documents"))

    def tags(self, prefix: str = "") -> Iterator[Row]:
        """Yield the tags whose name begins with `prefix`, the most used first."""
        return self._stream("inspect/tags", prefix=self.normaliser.name(prefix) if prefix else "")

    def memories(self) -> Iterator[Row]:
        """Yield the memories of the database: name, language, chunks, created_at."""
        return map(_spelled, self._stream("inspect/memories"))

    def stats(self) -> dict[str, object]:
        """Return what the memory holds, in numbers; zeros for a memory that is not there yet."""
        counts = _spelled(read_stats(self._client, self.name))
        return {"memory": self.name, "language": self.language, **counts}

    def check(self) -> list[Fault]:
        """Prove every invariant of the memory; return the faults, none when every number is right."""
        self._refresh()
        if self._state.version is None:
            return []
        return list(checking.find_faults(self._client, self.name))

    @property
    def _state(self) -> State:
        state = self._seen
        if state is None:
            self._seen = state = schema.read_state(self._client, self.name)
        return state

    def _refresh(self) -> None:
        """Read the state again when it is next asked for: this or another process may have changed it."""
        self._seen = None

    def _current(self, work: Callable[[Normaliser], T]) -> T:
        """Do `work` with the memory's normaliser, once more if another process has changed that meanwhile."""
        self._require_some()
        try:
            return work(self.normaliser)
        except OtherWordRules:
            self._refresh()
            return work(self.normaliser)

    def _require_some(self) -> None:
        """Raise NothingRecalled when there is nothing in the memory, after looking once more."""
        if not self._state.chunks:
            self._refresh()
        if not self._state.chunks or self._state.wiping:
            raise NothingRecalled(
                f"the memory {self.name!r} is empty", hint="bamboo ingest PATH… gives it something to recall"
            )

    def _make(self, words: Normaliser) -> None:
        """Make the memory where it is new, and first end the forgetting of one that was being forgotten."""
        schema.prepare(self._client)
        if self._state.wiping:
            wipe(self._client, self.name)
            self._refresh()
        if self._state.language is not None:
            return  # it was checked already; merging it again would make writers wait for each other
        schema.open_memory(self._client, self.name, language=words.language, normaliser=words.fingerprint)
        self._refresh()

    def _stream(self, name: str, **parameters: object) -> Iterator[Row]:
        return self._client.stream(name, {"memory": self.name, **parameters})


def _spelled(row: Row) -> Row:
    """Return a row with the names of Python and of `--json`: the graph's `createdAt` is created_at."""
    return {_HUMP.sub("_", name).lower(): value for name, value in row.items()}
