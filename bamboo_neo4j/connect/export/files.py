"""The files of exports: written whole or not at all, read line by line whatever is in them."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import zlib
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import RawIOBase

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line at most: one chunk or one mind map."""
STANDARD = "-"

_GZIP = b"\x1f\x8b"
_COPIED = 1024 * 1024


def _is_standard(place: object) -> bool:
    return isinstance(place, (str, Path)) and str(place) == STANDARD


@contextmanager
def whole_file(place: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open a file to write beside `place` that takes its place at the end, if there was no error.

    `-` is standard output; it, or a file that is open already, gets everything at the end.
    A name that ends in `.gz` is compressed. Only the user may read the file: a memory is private.
    Raises InputError when it cannot be written.
    """
    path = None if hasattr(place, "write") or _is_standard(place) else Path(cast("str", place))
    with _explained(place), _beside(path) if path else _at_the_end(place) as file:
        yield file


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    path = Path(os.path.realpath(path))  # a link stays a link to what is written
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write {str(path)!r}: it is no file", hint="- writes to standard output")
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part", delete=False
    ) as raw:
        try:
            if path.name.endswith(".gz"):
                # no name and no time in it: the same memory gives the same bytes
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield cast("IO[bytes]", raw)
            raw.flush()
            os.fsync(raw.fileno())
            os.replace(raw.name, path)  # noqa: PTH105 - both names are known to be on one disk
        except BaseException:
            Path(raw.name).unlink(missing_ok=True)
            raise


@contextmanager
def _at_the_end(place: object) -> Iterator[IO[bytes]]:
    """Keep what is written until the end: an export may have to begin again."""
    target = sys.stdout.buffer if _is_standard(place) else cast("IO[bytes]", place)
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        while block := file.read(_COPIED):
            target.write(block)
        target.flush()


@contextmanager
def opened(place: str | Path | IO[bytes]) -> Iterator[Iterator[bytes]]:
    """Open an export for reading, compressed or not; yields its lines, without their line feeds.

    Raises InputError when it cannot be read, is compressed and damaged, or has an endless line.
    """
    with _explained(place), _binary(place) as file:
        if file.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                yield lines(cast("IO[bytes]", unpacked), place)
        else:
            yield lines(file, place)


def lines(file: IO[bytes], place: str | Path | IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of `file`, each with its line feed but the last; raises InputError at a giant one."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"{shown(place)}, line {number}: longer than {LONGEST_LINE // 1024**2} MiB", hint=NOTHING
            )
        yield line


NOTHING = "nothing was imported"


def shown(place: str | Path | IO[bytes]) -> str:
    """Return the name of a file as it is printed."""
    if _is_standard(place):
        return "standard input"
    return str(place) if isinstance(place, (str, Path)) else "the open file"


@contextmanager
def _binary(place: str | Path | IO[bytes]) -> Iterator[BufferedReader]:
    if isinstance(place, (str, Path)) and not _is_standard(place):
        require_file(place, "the export", hint="to read a stream, give it to - (standard input)")
        with Path(place).open("rb") as file:
            yield file
        return
    file = cast("BufferedReader", sys.stdin.buffer if _is_standard(place) else place)
    if hasattr(file, "peek"):
        yield file
        return
    reader: BufferedReader = BufferedReader(cast("RawIOBase", file))
    try:
        yield reader
    finally:
        reader.detach()  # the caller's file stays open


@contextmanager
def _explained(place: str | Path | IO[bytes]) -> Iterator[None]:
    name = "standard output or input" if _is_standard(place) else repr(shown(place))
    try:
        yield
    except BrokenPipeError:
        raise
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is compressed and damaged: {error}", hint=NOTHING) from None
    except OSError as error:
        raise InputError(f"cannot use {name}: {error.strerror or error}") from None
