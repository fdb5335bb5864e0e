"""One source to its documents: read it, see what it is, hand it to the loader of its family."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from typing import TYPE_CHECKING, cast

from bamboo_neo4j.errors import InputError, MissingExtra
from bamboo_neo4j.memorise.documents import decoding, nested, tables, textual
from bamboo_neo4j.memorise.documents.html import html
from bamboo_neo4j.memorise.documents.isolation import isolated
from bamboo_neo4j.memorise.documents.passages import passages, read_lines
from bamboo_neo4j.memorise.documents.source import Limits, NoText, Source, too_large
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdown": "text/markdown",
    ".mkd": "text/markdown",
    ".mdx": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".pdf": "application/pdf",
    ".docx": _DOCX,
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
    ".json": "application/json",
    ".geojson": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
}
_HEAD = 2048
_NOTHING = b" \t\r\n\x0b\x0c\x00\xef\xbb\xbf\xfe\xff"  # white space, NUL and byte order marks
# Parsing HTML takes time in the square of its depth: 10,000 open elements take a second.
_OPEN_ELEMENTS = 10_000
_LARGE_HTML = 8 * 1024 * 1024

_Loaded = tuple[str, str, tuple[str, ...]]


def load(
    source: Source,
    *,
    limits: Limits | None = None,
    id: str | None = None,  # noqa: A002 (what `--id` is called everywhere)
) -> Iterator[Document]:
    """Yield the documents of `source`: one, or one a passage for JSON lines, each as it is reached.

    `id` replaces the id of a single document (its canonical URI). Raises, while it is iterated, NoText for an
    input with nothing to see, InputError for what cannot be read (the message names the input and the
    reason, its hint the next step), UsageError for `id` with passages. Documents that were yielded before
    an error are good: a bad line of JSON lines is told at the end.
    """
    limits = limits or Limits()
    try:
        with _opened(source) as stream:
            yield from _documents(stream, source, limits=limits, own_id=id)
    except MissingExtra as error:
        raise InputError(f"{source.shown}: {error.message}", hint=error.hint) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{source.shown}: is a damaged gzip file ({error})", hint="compress it again"
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"{source.shown}: {reason}", hint="check that the file is there and may be read"
        ) from error


def _opened(source: Source) -> BinaryIO:
    if source.path is None:
        if sys.stdin is None:
            raise InputError("standard input is closed", hint="give `-` only behind a pipe")
        return cast("BinaryIO", io.BufferedReader(_Unclosed(sys.stdin.buffer)))
    if source.path.suffix == ".gz":
        return cast("BinaryIO", gzip.open(source.path))
    return source.path.open("rb")


class _Unclosed(io.RawIOBase):
    """Standard input as a stream that may be closed without closing it for everyone."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = (
            self._stream.read1(len(buffer))
            if hasattr(self._stream, "read1")
            else self._stream.read(len(buffer))
        )
        buffer[: len(data)] = data
        return len(data)


def _documents(stream: BinaryIO, source: Source, *, limits: Limits, own_id: str | None) -> Iterator[Document]:
    media_type = _by_name(source)
    if media_type == "application/jsonl":
        lines = read_lines(cast("BinaryIO", _AsItWas(stream, source)), limits=limits)
        yield from passages(lines, source, limits=limits, own_id=own_id)
        return
    data = stream.read(limits.bytes + 1)
    if source.path is None and _begins_json_lines(data):
        # Standard input has no name; its first line says that these are JSON lines.
        lines = read_lines(cast("BinaryIO", _Joined(data, stream)), limits=limits)
        yield from passages(lines, source, limits=limits, own_id=own_id)
        return
    if len(data) > limits.bytes:
        raise too_large(source.shown, limits)
    media_type = _by_content(data, media_type, nameless=source.path is None)
    if media_type == "application/json":
        yield from _json(data, source, limits=limits, own_id=own_id)
    else:
        yield _document(_loaded(data, media_type, source.shown, limits), media_type, source, own_id)


class _AsItWas(io.RawIOBase):
    """A file up to the end that it had when it was opened: one that grows while it is read has an end too."""

    def __init__(self, stream: BinaryIO, source: Source) -> None:
        self._stream = stream
        plain = source.path is not None and source.path.suffix != ".gz"
        self._left = os.fstat(stream.fileno()).st_size if plain else sys.maxsize

    def readline(self, size: int | None = -1) -> bytes:
        most = self._left if size is None or size < 0 else min(size, self._left)
        return self._counted(self._stream.readline(most))

    def read(self, size: int | None = -1) -> bytes:
        most = self._left if size is None or size < 0 else min(size, self._left)
        return self._counted(self._stream.read(most))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        return data


class _Joined(io.RawIOBase):
    """Bytes that were read already, then the rest of their stream, line by line."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def readline(self, size: int | None = -1) -> bytes:
        line = self._head.readline(-1 if size is None else size)
        if line.endswith(b"\n") or len(line) == size:
            return line
        return line + self._rest.readline(-1 if size is None or size < 0 else size - len(line))

    def read(self, size: int | None = -1) -> bytes:
        return self._head.read(size) or self._rest.read(-1 if size is None else size)


def _by_name(source: Source) -> str | None:
    if source.path is None:
        return None
    return _MEDIA_TYPES.get(source.path.with_name(source.path.name.removesuffix(".gz")).suffix.lower())


def _by_content(data: bytes, named: str | None, *, nameless: bool) -> str:
    """Return the media type: what the first bytes prove, then what the name says, then plain text."""
    head = data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith(b"PK\x03\x04") and b"word/document.xml" in data:
        return _DOCX
    if named:
        return named
    if head[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "text/html"
    return "application/json" if nameless and _is_json(data) else "text/plain"


def _is_json(data: bytes) -> bool:
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return False
    try:
        nested.parse(data.decode("utf-8-sig"))
    except (nested.NotUsable, UnicodeDecodeError):
        return False
    return True


def _begins_json_lines(data: bytes) -> bool:
    first, _, rest = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not first.startswith(b"{"):
        return False
    try:
        found = nested.parse(first.decode())
    except (nested.NotUsable, UnicodeDecodeError):
        return False
    return isinstance(found, dict) and (bool(rest.strip()) or "text" in found)


def _loaded(data: bytes, media_type: str, shown: str, limits: Limits) -> _Loaded:
    if not data.strip(_NOTHING):
        return "", "", ()
    if media_type in {"application/pdf", _DOCX}:
        return isolated("pdf" if media_type == "application/pdf" else "docx", data, shown, limits=limits)
    if media_type == "text/html":
        # Closing tags begin with "</": the surplus of "<" bounds how deep the page can be nested.
        deep = data.count(b"<") - 2 * data.count(b"</") > _OPEN_ELEMENTS
        return (
            isolated("html", data, shown, limits=limits)
            if deep or len(data) > _LARGE_HTML
            else html(data, shown)
        )
    text, warnings = decoding.decode(data, shown)
    if media_type == "text/markdown":
        return *textual.markdown(text), warnings
    if media_type in {"text/csv", "text/tab-separated-values"}:
        return tables.table(text, shown, limits=limits, tabs=media_type != "text/csv"), "", warnings
    return *textual.plain(text), warnings


def _document(loaded: _Loaded, media_type: str, source: Source, own_id: str | None) -> Document:
    text, more = decoding.clean(loaded[0])
    if decoding.is_blank(text):
        raise NoText(f"{source.shown}: no text")
    title = " ".join(decoding.clean(loaded[1])[0].split()) or source.title
    return Document(own_id or source.uri, source.uri, title, text, media_type, (*loaded[2], *more))


def _json(data: bytes, source: Source, *, limits: Limits, own_id: str | None) -> Iterator[Document]:
    text, warnings = decoding.decode(data, source.shown) if data.strip() else ("", ())
    if decoding.is_blank(text):
        raise NoText(f"{source.shown}: no text")
    try:
        value = nested.parse(text)
        members = value if isinstance(value, list) else []
        if members and all(
            isinstance(member, dict) and isinstance(member.get("text"), str) for member in members
        ):
            lines = ((number, nested.dump(member)) for number, member in enumerate(members, 1))
            yield from passages(lines, source, limits=limits, own_id=own_id)
            return
        flat = nested.flatten(value)
    except nested.NotUsable as error:
        if _begins_json_lines(data):
            yield from passages(
                read_lines(io.BytesIO(data), limits=limits), source, limits=limits, own_id=own_id
            )
            return
        raise InputError(f"{source.shown}: {error}", hint="correct it, or save it as .txt") from error
    yield _document((flat, nested.title(value), warnings), "application/json", source, own_id)
