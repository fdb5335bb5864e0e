"""Inputs: what a user gives, paths or text, becomes a stream of documents and failures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, NotFound, UsageError
from bamboo_neo4j.memorise.documents import NoText, Source, canonical_uri, find_sources, load
from bamboo_neo4j.memorise.documents.decoding import clean, is_blank
from bamboo_neo4j.memorise.preparing import digest
from bamboo_neo4j.memorise.tally import Skipped, one_line
from bamboo_neo4j.records import Document, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from bamboo_neo4j.memorise.documents import Limits

    Read = Callable[[str, dict[str, object]], list[dict[str, Any]]]
    """Runs a statement by name with parameters and returns its rows."""


def read_inputs(
    paths: Iterable[str | Path], *, document_id: str | None = None, limits: Limits | None = None
) -> Iterable[Document | Failure]:
    """Return the documents of files, folders, globs and `-`; what cannot be read becomes a Failure.

    With a `document_id` there may be one document only: everything is read at once, and UsageError is raised
    for a second one, before the caller has done anything.
    """
    inputs = Inputs(paths, document_id=document_id, limits=limits)
    return inputs if document_id is None else one_document(inputs, document_id)


class Inputs:
    """The documents of some paths, to be read once; it knows which sources were not read to their end."""

    def __init__(
        self, paths: Iterable[str | Path], *, document_id: str | None = None, limits: Limits | None = None
    ) -> None:
        self._sources = find_sources(map(str, paths))
        self._document_id = document_id
        self._limits = limits
        self._reading: Source | None = None

    def __iter__(self) -> Iterator[Document | Failure]:
        """Yield documents, and a Failure for what cannot be read."""
        for source in self._sources:
            if isinstance(source, Failure):
                yield source
                continue
            self._reading = source
            try:
                yield from load(source, limits=self._limits, id=self._document_id)
            except NoText as error:
                yield Skipped(source.shown, _reason(error, source))
            except InputError as error:
                yield Failure(source.shown, _reason(error, source))
        self._reading = None

    def unread(self) -> list[str]:
        """Return the URIs of the source that is being read and of all after it."""
        reading = [self._reading.uri] if self._reading else []
        return reading + [source.uri for source in self._sources if isinstance(source, Source)]


def one_document(inputs: Iterable[Document | Failure], document_id: str) -> list[Document | Failure]:
    """Return `inputs`, of which one at most is a document; raises UsageError for a second one."""
    found: list[Document | Failure] = []
    first = None
    for one in inputs:
        if isinstance(one, Document):
            if first is not None:
                raise UsageError(
                    f"the id {document_id!r} is for one document, and there are more: "
                    f"{first.title or first.uri!r} and {one.title or one.uri!r}",
                    hint="nothing was written; give --id with one file that holds one document",
                )
            first = one
        found.append(one)
    return found


def as_document(what: str | Document, *, document_id: str | None = None) -> Document | Failure:
    """Return text or a document cleaned as a file is; text without an id is named by its content."""
    if isinstance(what, str):
        name = document_id or f"text:{digest(what)}"
        what = Document(id=name, uri="", title="", text=what, media_type="text/plain")
    text, warnings = clean(what.text)
    if is_blank(text):
        return Skipped(what.id, "no text")
    return replace(what, text=text, title=clean(what.title)[0], warnings=(*what.warnings, *warnings))


def find_documents(name: str, *, read: Read, memory: str) -> list[str]:
    """Return the ids of the documents that `name` spells: an id, a URI or a path.

    Raises NotFound when there is none.
    """
    given = name.encode("utf-8", "replace").decode()
    spellings = [given, clean(given)[0], canonical_uri(name)]
    names: dict[str, object] = {"memory": memory, "names": list(dict.fromkeys(spellings))}
    for statement in ("inspect/find_documents", "inspect/find_documents_by_uri"):
        if ids := read(statement, names)[0]["ids"]:
            return sorted(ids)
    raise NotFound(
        f"there is no document {name[:200]!r} in the memory {memory!r}", hint="bamboo documents lists them"
    )


def _reason(error: InputError, source: Source) -> str:
    return one_line(error).removeprefix(f"{source.shown}: ")
