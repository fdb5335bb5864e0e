"""Inputs of facts: files, globs, standard input and rows of a program become one stream."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file
from bamboo_neo4j.memorise.documents import Limits, Source, find_sources
from bamboo_neo4j.memorise.documents.decoding import decode
from bamboo_neo4j.memorise.facts.reading import StatedFact, UnknownFields, read_facts, read_rows
from bamboo_neo4j.records import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bamboo_neo4j.normalise import Normaliser

    Given = str | Path | Mapping[str, object]
    """A path, a glob, `-` for standard input, or one fact with the keys of a file."""


def read_all(
    given: Iterable[Given], *, words: Normaliser, limits: Limits | None = None
) -> Iterator[StatedFact | Failure]:
    """Yield the facts of paths and rows in order; what cannot be used is a Failure and stops no other."""
    for is_path, group in groupby(given, key=lambda one: isinstance(one, (str, Path))):
        if not is_path:
            yield from read_rows((row for row in group if not isinstance(row, (str, Path))), words=words)
            continue
        for source in find_sources(str(path) for path in group):
            yield from [source] if isinstance(source, Failure) else read_source(source, words, limits=limits)


def read_source(
    source: Source, words: Normaliser, *, limits: Limits | None = None
) -> Iterator[StatedFact | Failure]:
    """Yield the facts of one file or of standard input; of one that cannot be used, a Failure."""
    try:
        text, warnings = _text(source, limits or Limits())
        yield from (UnknownFields(source.shown, warning) for warning in warnings)
        yield from read_facts(text, source.shown, words=words)
    except InputError as error:
        reason = error.message.removeprefix(f"{source.shown}: ")
        yield Failure(source.shown, f"{reason} ({error.hint})" if error.hint else reason)


def _text(source: Source, limits: Limits) -> tuple[str, tuple[str, ...]]:
    data = _bytes(source, limits)
    try:
        return decode(data, source.shown)
    except InputError as error:  # its own hint names every format that documents may have
        raise InputError(error.message, hint="save it as CSV or JSON lines, in UTF-8") from None


def _bytes(source: Source, limits: Limits) -> bytes:
    """Return what is in `source`; raises InputError for what cannot be read or is too large."""
    try:
        if source.path is None:
            data = sys.stdin.buffer.read(limits.bytes + 1)
        else:
            require_file(source.path, "the file of facts")
            with source.path.open("rb") as file:
                data = file.read(limits.bytes + 1)
    except OSError as error:
        raise InputError(f"{source.shown}: {(error.strerror or str(error)).lower()}") from error
    if len(data) > limits.bytes:
        raise InputError(
            f"{source.shown}: larger than the limit of {limits.bytes:,} bytes for one input",
            hint="split it, or raise BAMBOO_MAX_BYTES",
        )
    return data
