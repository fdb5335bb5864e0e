"""Paths, folders and patterns to sources: each real file once, however it is spelled."""

from __future__ import annotations

import glob
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from bamboo_neo4j.files import KINDS
from bamboo_neo4j.memorise.documents.source import STDIN_URI, Source
from bamboo_neo4j.records import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def find_sources(paths: Iterable[str]) -> Iterator[Source | Failure]:
    """Yield the files behind `paths` in their order, and a Failure for each path that leads to none.

    A path is a file, a folder (walked in sorted order; hidden files and folders are skipped, links are
    followed, loops survived), a `file:` URI, a pattern with `*`, `?`, `[…]` or `**`, or `-` for standard
    input. A file that several paths or links lead to comes once. A hidden file is taken when it is named.
    Lazy: a folder is listed when it is reached.
    """
    seen: set[str] = set()
    for path in paths:
        for found in _expand(path, seen):
            if isinstance(found, Failure):
                yield found
            elif found.uri not in seen:
                seen.add(found.uri)
                yield found


def canonical_uri(path: str) -> str:
    """Return the URI that `path`, in any spelling, has as a document; the file need not exist any more."""
    if path == "-":
        return STDIN_URI
    try:
        return Path(_local(path)).resolve().as_uri()
    except (OSError, RuntimeError, ValueError):
        return path


def is_missing(uri: str) -> bool:
    """Tell whether `uri` is of a file that is no longer there; what is no file is never missing."""
    parts = urlsplit(uri)
    return parts.scheme == "file" and not os.path.lexists(unquote(parts.path))


def printable(path: str | Path) -> str:
    """Return `path` for messages: bytes that are no text, as some file systems have, are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _expand(path: str, seen: set[str]) -> Iterator[Source | Failure]:
    if path == "-":
        yield Source(None, STDIN_URI, "standard input")
        return
    try:
        local = _local(path)
        if os.path.lexists(local):
            yield from _visit(Path(local), path, seen)
        elif glob.has_magic(local):
            yield from _match(local, seen)
        else:
            yield Failure(printable(path), "no such file or folder")
    except (OSError, ValueError) as error:
        yield Failure(printable(path), _reason(error))


def _local(path: str) -> str:
    parts = urlsplit(path) if "://" in path else None
    if parts is None or os.path.lexists(path):
        if not path:
            raise ValueError("the path is empty")
        return path
    if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
        return unquote(parts.path, errors="surrogateescape")
    raise ValueError("is an address, not a file: download it first")


def _match(pattern: str, seen: set[str]) -> Iterator[Source | Failure]:
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute patterns too)
    if not matches:
        yield Failure(printable(pattern), "no file matches this pattern")
    for match in matches:
        yield from _visit(Path(match), match, seen)


def _visit(path: Path, shown: str, seen: set[str]) -> Iterator[Source | Failure]:
    """Yield what `path` leads to, depth first; a folder that was visited before yields nothing."""
    found = 0
    visited = False
    waiting = [(path, printable(shown))]
    while waiting:
        entry, name = waiting.pop()
        try:
            mode = entry.stat().st_mode
            # What lies in a resolved folder is resolved unless it is a link.
            real = entry.resolve() if entry is path or entry.is_symlink() else entry
            if not stat.S_ISDIR(mode):
                found += 1
                yield _classify(real, name, mode)
            elif (key := real.as_uri() + "/") not in seen:
                seen.add(key)
                children = sorted(child.name for child in real.iterdir() if not child.name.startswith("."))
                waiting += [(real / child, _below(name, child)) for child in reversed(children)]
            else:
                visited = True
        except (OSError, RuntimeError, ValueError) as error:
            found += 1
            yield Failure(name, "is a link to nothing" if _dangling(entry) else _reason(error))
    if not found and not visited:
        yield Failure(printable(shown), "the folder holds no file that is not hidden")


def _classify(real: Path, shown: str, mode: int) -> Source | Failure:
    if stat.S_ISREG(mode):
        return Source(real, real.as_uri(), shown)
    kind = KINDS.get(stat.S_IFMT(mode), "no ordinary file")
    return Failure(shown, f"is {kind}: to read a stream, give it to `-`")


def _below(folder: str, child: str) -> str:
    return os.path.join(folder, printable(child))  # noqa: PTH118 (keeps the user's spelling)


def _dangling(path: Path) -> bool:
    return path.is_symlink() and not path.exists()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)
