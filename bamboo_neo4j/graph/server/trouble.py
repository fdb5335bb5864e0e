"""What the operating system refuses, told as an error of ours: which path, why, and what to do about it."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def told(**folders: Path) -> Iterator[None]:
    """Raise a ServerError for every OSError of the block.

    `folders` are the places in use by the name of their variable, as in `BAMBOO_HOME=path`. A path that lies
    in none of them is reckoned to the first.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # it is about the reader of our output, not about a file
    except OSError as error:
        variable, folder = next(iter(folders.items()))
        path = str(error.filename or folder)
        inside = [name for name, place in folders.items() if path.startswith(str(place))]
        raise ServerError(
            f"{path!r} cannot be written or read ({error.strerror or error})",
            hint=_next_step(error, inside[0] if inside else variable),
        ) from error


def _next_step(error: OSError, variable: str) -> str:
    if error.errno in FULL:
        return f"free some space, or set {variable} to a folder on another disk"
    return f"set {variable} to a folder of yours"
