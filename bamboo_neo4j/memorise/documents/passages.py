"""JSON lines: a document for each passage, read one line at a time, however long the file is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, UsageError
from bamboo_neo4j.memorise.documents import decoding, nested
from bamboo_neo4j.memorise.documents.source import NoText, too_large
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from bamboo_neo4j.memorise.documents.source import Limits, Source

MEDIA_TYPE = "application/jsonl"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_SHOWN_LINES = 3


@dataclass
class _Reading:
    """What one pass over a file has met so far."""

    source: Source
    limits: Limits
    bad: list[tuple[int, str]] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    size: int = 0
    seen: dict[str, str] = field(default_factory=dict)


def passages(
    lines: Iterable[tuple[int, bytes | None]], source: Source, *, limits: Limits, own_id: str | None = None
) -> Iterator[Document]:
    """Yield a document for each line of `lines` that is a passage, and one for all other lines together.

    A passage keeps its own id; without one it is named after the file and its text, so that it is the
    same document wherever its line moves. After the last document, raises InputError that names the lines
    that could not be used, or NoText for those without text; UsageError when `own_id` is given for passages.
    """
    reading = _Reading(source, limits)
    for number, line in lines:
        try:
            if document := _record(_value(line, limits), number, reading):
                if own_id is not None:
                    raise UsageError(
                        f"--id names one document, but {source.shown} holds many passages",
                        hint="leave --id out",
                    )
                yield document
        except nested.NotUsable as error:
            reading.bad.append((number, str(error)))
    yield from _rest(reading, own_id)
    _complain(reading)


def read_lines(stream: BinaryIO, *, limits: Limits) -> Iterator[tuple[int, bytes | None]]:
    """Yield number and bytes of each line of `stream`; None for one above `limits.bytes`."""
    number = 0
    while line := stream.readline(limits.bytes + 1):
        number += 1
        if number == 1:
            if line.startswith(_WIDE_MARKS):
                yield from _wide_lines(line + stream.read(limits.bytes))
                return
            line = line.removeprefix(_UTF8_MARK)
        if len(line) <= limits.bytes:
            yield number, line
            continue
        yield number, None
        while line and not line.endswith(b"\n"):
            line = stream.readline(limits.bytes)


def _wide_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    text, _ = decoding.decode(data, "the JSON lines")
    yield from enumerate((line.encode() for line in text.split("\n")), 1)


def _value(line: bytes | None, limits: Limits) -> nested.Json:
    if line is None:
        raise nested.NotUsable(f"is longer than the limit of {limits.bytes:,} bytes")
    text = _utf8(line)
    return None if decoding.is_blank(text) else nested.parse(text)


def _utf8(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise nested.NotUsable(
            f"is not UTF-8 (byte 0x{line[error.start]:02x} at offset {error.start} of the line)"
        ) from error


def _record(value: nested.Json, number: int, reading: _Reading) -> Document | None:
    found = nested.passage(value)
    if found is None:
        flat = nested.flatten(value)
        reading.size += len(flat)
        if reading.size > reading.limits.bytes:
            raise too_large(reading.source.shown, reading.limits)
        reading.others.append(flat)
        return None
    text, warnings = decoding.clean(found.text)
    if decoding.is_blank(text):
        reading.blank.append(number)
        return None
    key = decoding.clean(found.id)[0] or nested.digest(found)
    mark = nested.digest(found)
    known = reading.seen.setdefault(key, mark)
    if known != mark:
        raise nested.NotUsable(f"repeats the id {key!r} with another text")
    uri = f"{reading.source.uri}#{key}"
    title = " ".join(decoding.clean(found.title)[0].split())
    return Document(key if found.id else uri, uri, title, text, MEDIA_TYPE, warnings)


def _rest(reading: _Reading, own_id: str | None) -> Iterator[Document]:
    text, warnings = decoding.clean("\n\n".join(flat for flat in reading.others if flat))
    if not decoding.is_blank(text):
        source = reading.source
        title = decoding.clean(source.title)[0]
        yield Document(own_id or source.uri, source.uri, title, text, MEDIA_TYPE, warnings)
    elif not reading.seen and not reading.bad:
        raise NoText(f"{reading.source.shown}: no text")


def _complain(reading: _Reading) -> None:
    shown = reading.source.shown
    if reading.bad:
        number, reason = reading.bad[0]
        also = (
            [f"{_enumerate([number for number, _ in reading.bad[1:]])} cannot be used either"]
            if reading.bad[1:]
            else []
        )
        also += [f"no text in {_enumerate(reading.blank)}"] if reading.blank else []
        raise InputError(
            "; ".join((f"{shown}: line {number} {reason}", *also)),
            hint="correct the lines that are named and ingest the file again; all other lines were taken",
        )
    if reading.blank:
        raise NoText(f"{shown}: no text in {_enumerate(reading.blank)}")


def _enumerate(numbers: list[int]) -> str:
    if not numbers:
        return ""
    named = f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:_SHOWN_LINES]))}"
    more = len(numbers) - _SHOWN_LINES
    return f"{named} and {more} more" if more > 0 else named
