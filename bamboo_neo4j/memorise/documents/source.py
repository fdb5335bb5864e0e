"""What is to be read, how much of it, and what the loaders say when there is nothing in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.settings import Settings

STDIN_URI = "stdin:"
_MIB = 1024 * 1024
MOST_BYTES = 4096 * _MIB  # a file is read as a whole
MOST_SECONDS = 86_400


class NoText(InputError):
    """The input was read and holds nothing that can be seen: it is skipped, not failed."""


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file (`path` is resolved) or standard input (`path` is None).

    `uri` is canonical: however the path of a file is spelled, it is the same. `shown` is the spelling of
    the user, printable, for messages.
    """

    path: Path | None
    uri: str
    shown: str

    @property
    def title(self) -> str:
        """What a document is called that has no title of its own: the file's name without its suffix."""
        if self.path is None:
            return ""
        return os.fsencode(self.path.name.removesuffix(".gz")).decode("utf-8", "replace").rpartition(".")[
            0
        ] or (os.fsencode(self.path.name).decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may cost. A reached limit fails that input by name, never the others.

    `bytes` of the file, after decompression too; for JSON lines it bounds one line, since they are read
    one by one. `seconds` and `memory` (bytes) hold for PDF, DOCX and outsize HTML, which are parsed in a
    process of their own. `pages` of a PDF; `cells` of a table; `cell` characters of one cell.
    """

    bytes: int = 64 * _MIB
    seconds: float = 30.0
    memory: int = 1024 * _MIB
    pages: int = 10_000
    cells: int = 5_000_000
    cell: int = 131_072

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Read `max_bytes` and `max_seconds`; raises UsageError for what is no number or far too large."""
        size, seconds = settings.number("max_bytes"), settings.number("max_seconds")
        for name, value, most in (("max_bytes", size, MOST_BYTES), ("max_seconds", seconds, MOST_SECONDS)):
            if value > most:
                raise UsageError(f"{settings.find(name).source} is {value:g}: it may be {most:,} at most")
        return cls(bytes=max(1, int(size)), seconds=seconds)


def too_large(shown: str, limits: Limits) -> InputError:
    """Return the error for an input above `limits.bytes`."""
    return InputError(
        f"{shown}: larger than the limit of {limits.bytes:,} bytes for one input",
        hint="split it, or turn it into JSON lines of passages, which are read one by one, or raise "
        "BAMBOO_MAX_BYTES",
    )
