"""Memory: the façade that wires the rooms; no Cypher and no prompts here."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - an annotation that is read at run time
from typing import TYPE_CHECKING, Self, TypeVar

from bamboo_neo4j.errors import NotFound, NothingRecalled, OtherWordRules
from bamboo_neo4j.graph import check as checking
from bamboo_neo4j.graph import schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.graph.opening import open_client
from bamboo_neo4j.graph.statements import load
from bamboo_neo4j.graph.stats import read_stats
from bamboo_neo4j.memorise import documents as loading
from bamboo_neo4j.memorise.ingest import Ingest
from bamboo_neo4j.memorise.inputs import as_document, find_documents, read_inputs
from bamboo_neo4j.memorise.planning import Plan, make_plan
from bamboo_neo4j.memorise.recipe import make_recipe
from bamboo_neo4j.memorise.reindexing import reindex
from bamboo_neo4j.memorise.repairing import repair
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.recall import retrieve
from bamboo_neo4j.records import Document
from bamboo_neo4j.settings import memory_name, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import IO, Unpack

    import neo4j

    from bamboo_neo4j.connect.export import Exported, Imported
    from bamboo_neo4j.graph.client import Row
    from bamboo_neo4j.graph.opening import Starting
    from bamboo_neo4j.graph.schema import State
    from bamboo_neo4j.memorise.preparing import Recipe
    from bamboo_neo4j.memorise.recipe import IngestOptions, RecipeOptions
    from bamboo_neo4j.memorise.tally import Tally
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Association, Failure, Fault, Ranking, Recall, Remembered
    from bamboo_neo4j.settings import Settings

    Progress = Callable[[str, str], None]

T = TypeVar("T")


class Memory:
    """One memory in one database; get it with `Memory.open`, close it or use it in a `with` block.

    Safe to use from several threads. Methods raise `BambooError`s, each with an exit code and a next step.
    """

    def __init__(self, client: GraphClient, name: str, *, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self.name = memory_name(name)
        self._seen: State | None = schema.read_state(client, self.name)
        self.last: Tally | None = None
        """What the last ingest did, or has done so far."""

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
    ) -> Memory:
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
        ours = normaliser(self.language)
        schema.check_normaliser(self.name, stored=self._state.normaliser, ours=ours.fingerprint)
        return ours

    def remember(
        self,
        what: str | Document | Iterable[str | Document],
        *,
        id: str | None = None,  # noqa: A002 - the word of the graph
        replace: bool = False,
        progress: Progress | None = None,
        **options: Unpack[IngestOptions],
    ) -> Remembered:
        """Memorise text, a `Document` or several of them.

        A text without `id` gets an id from its content: remembering it twice changes nothing.
        `options` are those of `ingest`.
        """
        given = [what] if isinstance(what, (str, Document)) else what
        documents = (as_document(one, document_id=id) for one in given)
        return self._remember(documents, replace=replace, progress=progress, **options)

    def ingest(
        self,
        paths: Iterable[str | Path],
        *,
        id: str | None = None,  # noqa: A002 - the word of the graph
        replace: bool = False,
        progress: Progress | None = None,
        **options: Unpack[IngestOptions],
    ) -> Remembered:
        """Memorise files, folders, globs and `-` (standard input).

        Options: `tagger` (`rules`, `llm`, `module:function`), `vocabulary` (a file of allowed tags), `tags`
        (a fixed number a chunk), `chunk_tokens` (smallest, largest), `replace` (give an id to another
        source), `language` (of a new memory), `model` (for the tagger `llm`: any LangChain chat
        model), `progress` (called with a source and what became of it).
        One bad input never stops the rest: see `failed` of the result.
        """
        return self._remember(
            read_inputs(paths, document_id=id, limits=loading.Limits.of(self._settings)),
            replace=replace,
            progress=progress,
            **options,
        )

    def plan(
        self,
        paths: Iterable[str | Path],
        *,
        id: str | None = None,  # noqa: A002 - the word of the graph
        replace: bool = False,
        **options: Unpack[IngestOptions],
    ) -> Plan:
        """Count what `ingest` would do, with no write and no model call."""
        recipe = self._recipe(**options)
        limits = loading.Limits.of(self._settings)
        inputs = read_inputs(paths, document_id=id, limits=limits)
        return make_plan(inputs, recipe, self._client, replace=replace)

    def forget(self, *documents: str) -> int:
        """Take documents back, by id, URI or path; return the number of chunks that went.

        Raises NotFound, before anything is changed, when one of them is not in the memory.
        """
        read = self._client.read
        ids = [
            found for document in documents for found in find_documents(document, read=read, memory=self.name)
        ]
        writer = Writer(self._client, memory=self.name, normaliser="")
        return sum(writer.forget(document) for document in dict.fromkeys(ids))

    def missing(self) -> list[str]:
        """Return the ids of documents whose file is no longer there."""
        return [row["id"] for row in self.documents() if loading.is_missing(row["uri"])]

    def forget_all(self) -> bool:
        """Forget the whole memory; return whether there was one."""
        self._refresh()
        gone = self._state.version is not None and wipe(self._client, self.name)
        self._refresh()
        return gone

    def export(self, path: str | Path | IO[bytes]) -> Exported:
        """Write the whole memory, learning included, to a path, `-` or an open file; see docs/export.md.

        Raises NotFound when there is no such memory, InputError when the file cannot be written.
        """
        from bamboo_neo4j.connect.export import export_memory

        return export_memory(self._client, self.name, path=path)

    def load(self, path: str | Path | IO[bytes], *, merge: bool = False) -> Imported:
        """Read an export from a path, `-` or an open file into this memory, which must be new or empty.

        With `merge` it may hold something; what is there already is left as it is. The file is proved
        whole first: raises InputError, with nothing changed, for one that is damaged.
        """
        from bamboo_neo4j.connect.export import import_memory

        try:
            return import_memory(self._client, self.name, path=path, merge=merge)
        finally:
            self._refresh()

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        first: int = 5,
        second: int = 3,
        ranking: Ranking = "bamboo",
        associations: bool = True,
    ) -> Recall:
        """Recall chunks and associations for a question, without a model and without a write.

        At most `limit` chunks of at most `tokens` tokens together; `first` and `second` are the neighbours of
        a cue and of each of those. Raises NothingRecalled when the memory has not learned what is asked.
        """
        request = retrieve.Request(
            question=question,
            memory=self.name,
            limit=retrieve.LIMIT if limit is None else limit,
            tokens=tokens,
            first=first,
            second=second,
            ranking=ranking,
            associations=associations,
        )
        return self._current(lambda words: retrieve.recall(request, read=self._client.read, normaliser=words))

    def neighbours(self, tag: str, *, first: int = 20, second: int = 0) -> tuple[Association, ...]:
        """Return the first- and second-degree neighbours of a tag; raises NotFound when it is not known."""
        sizes, read = {"first": first, "second": second}, self._client.read
        return self._current(
            lambda words: retrieve.neighbours(tag, read=read, normaliser=words, memory=self.name, **sizes)
        )

    def explain(self, recall: Recall) -> str:
        """Return a Cypher statement that draws the paths of `recall` in Neo4j Browser."""
        return retrieve.explain(recall, load("recall/explain").text)

    def documents(self) -> Iterator[Row]:
        """Yield the documents as they are stored: id, uri, title, chunks, tokens, ingestedAt, unfinished."""
        return self._stream("inspect/documents")

    def tags(self, prefix: str = "") -> Iterator[Row]:
        """Yield the tags whose name begins with `prefix`, the most used first."""
        return self._stream("inspect/tags", prefix=self.normaliser.name(prefix) if prefix else "")

    def memories(self) -> Iterator[Row]:
        """Yield the memories of the database."""
        return self._stream("inspect/memories")

    def stats(self) -> dict[str, object]:
        """Return what the memory holds, in numbers; zeros for a memory that is not there yet."""
        return {"memory": self.name, "language": self.language, **read_stats(self._client, self.name)}

    def check(self) -> list[Fault]:
        """Prove every invariant of the memory; return the faults, none when every number is right."""
        self._refresh()
        if self._state.version is None:
            return []
        return list(checking.find_faults(self._client, self.name))

    def reindex(self, *, language: str | None = None, progress: Callable[[int], None] | None = None) -> int:
        """Index the memory anew with today's word rules, in `language` or its own; return its chunks.

        Needed when its normaliser is another one than ours; no model is called. Raises NotFound where there
        is no such memory.
        """
        if self._state.language is None:
            raise NotFound(f"there is no memory {self.name!r}", hint="bamboo memories lists them")
        words = normaliser(language or self.language)
        chunks = reindex(self._client, self.name, words=words, progress=progress or (lambda _done: None))
        self._refresh()
        return chunks

    def repair(self) -> int:
        """Derive every number again from the chunks; return how many things were mended."""
        mended = repair(self._client, self.name) if self._state.version is not None else 0
        self._refresh()
        return mended

    def _remember(
        self,
        documents: Iterable[Document | Failure],
        *,
        replace: bool,
        progress: Progress | None,
        **options: Unpack[IngestOptions],
    ) -> Remembered:
        recipe = self._recipe(**options)
        self._prepare(recipe)
        ingest = Ingest(self._client, recipe, replace=replace, progress=progress)
        try:
            return ingest.run(documents)
        finally:
            self.last = ingest.tally
            self._refresh()

    def _recipe(self, *, language: str | None = None, **options: Unpack[RecipeOptions]) -> Recipe:
        self._refresh()
        words = normaliser(language) if language else self.normaliser
        schema.check_language(self.name, stored=self._state.language, ours=words.language)
        return make_recipe(self.name, words, settings=self._settings, **options)

    def _prepare(self, recipe: Recipe) -> None:
        schema.prepare(self._client)
        if self._state.wiping:
            wipe(self._client, self.name)
            self._refresh()
        if self._state.language is not None:
            return  # it was checked already; merging it again would make writers wait for each other
        words = recipe.normaliser
        schema.open_memory(self._client, self.name, language=words.language, normaliser=words.fingerprint)
        self._refresh()

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

    def _stream(self, name: str, **parameters: object) -> Iterator[Row]:
        return self._client.stream(name, {"memory": self.name, **parameters})
