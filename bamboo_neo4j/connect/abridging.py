"""The beginning of a text, where all of it is too much to show."""

from __future__ import annotations

MOST_OF_A_WORD = 30
"""Characters that are given up so that a cut falls between words; scripts without spaces have none."""


def abridged(text: str, most: int) -> str:
    """Return `text` on one line, cut after a word to `most` characters at most, with … where it was cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    start = line[: most - 2]
    space = start.rfind(" ") if line[len(start)] != " " else len(start)
    if space >= len(start) - MOST_OF_A_WORD and space > 0:
        return f"{start[:space].rstrip()} …"
    return f"{start}…"
