"""Files that a user names are opened only if they have an end, and folders of ours are private."""

from __future__ import annotations

import stat
from pathlib import Path

from bamboo_neo4j.errors import InputError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What a path may lead to that is no ordinary file, by its type in `stat`."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file at most that is read whole."""


def private_folder(path: Path) -> Path:
    """Make the folder `path` and what is missing above it, for this user only; return it."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    return path


def require_file(path: str | Path, what: str, *, hint: str = "", most: int | None = None) -> None:
    """Raise InputError where `path` leads to something that is no ordinary file of at most `most` bytes.

    `what` names its part in the message, such as "the vocabulary". Nothing is opened: a named pipe would
    wait for a writer, a device may have no end. A path to nothing is left to whoever opens it.
    """
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        named = KINDS.get(kind, "no ordinary file")
        raise InputError(f"{what} {str(path)!r} is {named}", hint=hint or "give a file")
    if most is not None and found.st_size > most:
        raise InputError(f"{what} {str(path)!r} is larger than {most:,} bytes", hint=hint)


def read_text(path: Path, what: str, *, most: int = LARGEST) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark; InputError says why not."""
    require_file(path, what, most=most)
    shown = f"{what} {str(path)!r}"
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{shown} cannot be read: {reason}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{shown}, line {number} is not UTF-8", hint="save it as UTF-8") from None
