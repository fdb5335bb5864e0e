"""Memorising: documents into the memory, out of it, and from one memory into another."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - an annotation that is read at run time
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NotFound
from bamboo_neo4j.graph import schema
from bamboo_neo4j.memorise import documents as loading
from bamboo_neo4j.memorise.ingest import Ingest
from bamboo_neo4j.memorise.inputs import Inputs, as_document, find_documents, one_document, read_inputs
from bamboo_neo4j.memorise.planning import Plan, make_plan
from bamboo_neo4j.memorise.recipe import make_recipe
from bamboo_neo4j.memorise.reindexing import reindex
from bamboo_neo4j.memorise.repairing import repair
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.memorise.writing import Writer
from bamboo_neo4j.memory.opened import Opened
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO, Unpack

    from bamboo_neo4j.connect.export import Exported, Imported
    from bamboo_neo4j.memorise.preparing import Recipe
    from bamboo_neo4j.memorise.recipe import IngestOptions, RecipeOptions
    from bamboo_neo4j.memorise.tally import Tally
    from bamboo_neo4j.records import Failure, Remembered

    Progress = Callable[[str, str], None]


class Memorising(Opened):
    """What changes the documents of a memory."""

    last: Tally | None = None
    """What the last ingest did, or has done so far."""

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
        `options` are those of `ingest`. Raises UsageError for an `id` given to several.
        """
        given = [what] if isinstance(what, (str, Document)) else what
        documents: Iterable[Document | Failure] = (as_document(one, document_id=id) for one in given)
        if id is not None:
            documents = one_document(documents, id)
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
        An `id` is of one document: UsageError, before anything is written, when `paths` hold more.
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
        self._make(recipe.normaliser)
        ingest = Ingest(self._client, recipe, replace=replace, progress=progress)
        try:
            return ingest.run(documents)
        except BaseException:
            if isinstance(documents, Inputs):
                ingest.tally.unread = documents.unread()
            raise
        finally:
            self.last = ingest.tally
            self._refresh()

    def _recipe(self, *, language: str | None = None, **options: Unpack[RecipeOptions]) -> Recipe:
        self._refresh()
        words = normaliser(language) if language else self.normaliser
        schema.check_language(self.name, stored=self._state.language, ours=words.language)
        return make_recipe(self.name, words, settings=self._settings, **options)
