"""Inputs: what a user gives, paths or text, becomes a stream of documents and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.documents import NoText, Source, find_sources, load
from bamboo_neo4j.memorise.ingest import Skipped, one_line
from bamboo_neo4j.memorise.preparing import digest
from bamboo_neo4j.records import Document, Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def read_inputs(
    paths: Iterable[str | Path], *, document_id: str | None = None
) -> Iterator[Document | Failure]:
    """Yield the documents of files, folders, globs and `-`; what cannot be read becomes a Failure."""
    for source in find_sources(map(str, paths)):
        if isinstance(source, Failure):
            yield source
            continue
        try:
            yield from load(source, id=document_id)
        except NoText as error:
            yield Skipped(source.shown, _reason(error, source))
        except InputError as error:
            yield Failure(source.shown, _reason(error, source))


def as_document(what: str | Document, *, document_id: str | None = None) -> Document | Failure:
    """Return text as a document; without an id it is named by its content."""
    if isinstance(what, Document):
        return what
    name = document_id or f"text:{digest(what)}"
    if not what.strip():
        return Skipped(name, "no text")
    return Document(id=name, uri="", title="", text=what, media_type="text/plain")


def _reason(error: InputError, source: Source) -> str:
    return one_line(error).removeprefix(f"{source.shown}: ")
