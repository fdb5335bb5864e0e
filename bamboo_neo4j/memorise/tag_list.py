"""The list of tags of one chunk: cleaned, capped, without doubles, whoever proposed it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bamboo_neo4j.records import Kind, Tag

MOST_TAGS = 64
"""Tags a chunk may have whatever was asked for: pairs grow by the square, 64 tags make 2,016."""

MOST_CHARACTERS = 120
MOST_BYTES = 256
"""Length of a tag. A name is shorter; Neo4j refuses an indexed string of about 8 kB, with the whole batch."""

_UNWRITABLE = re.compile("[\ud800-\udfff\ufeff\ufffe\uffff\u200b]")
_YEAR = re.compile(r"(?:c(?:irca|a)?\.? )?\d{3,4}s?(?: ?(?:BCE?|CE|AD))?")


def clean(spelling: str) -> str:
    """Return a proposed tag on one line, without control characters, lone surrogates and byte order marks."""
    kept = _UNWRITABLE.sub("", spelling)
    kept = "".join(" " if unicodedata.category(character) == "Cc" else character for character in kept)
    return " ".join(kept.split())


def too_long(spelling: str) -> str:
    """Return why `spelling` is too long for a tag, or ""."""
    if len(spelling) > MOST_CHARACTERS:
        return f"{len(spelling)} characters, {MOST_CHARACTERS} are allowed"
    size = len(spelling.encode("utf-8", "replace"))
    return f"{size} bytes, {MOST_BYTES} are allowed" if size > MOST_BYTES else ""


def kind_of(spelling: str, text: str = "") -> Kind:
    """Return the kind of a tag by its spelling: a year, a name, or a phrase.

    A name has a capital, or letters of a script without capitals; one that the text also writes in
    lower case is a phrase.
    """
    if _YEAR.fullmatch(spelling):
        return "date"
    letters = [character for character in spelling if character.isalpha()]
    if not letters:
        return "phrase"
    cased = [character for character in letters if character.lower() != character.upper()]
    if not cased:
        return "entity"
    named = any(character.isupper() for character in cased)
    return "entity" if named and spelling.lower() not in text else "phrase"


def salience_of(place: int, number: int) -> float:
    """Return the salience of the tag at `place` of `number`, in order: from 1 down to 1 / number."""
    return round(1.0 - place / number, 4)


def settle(proposed: Iterable[Tag], *, primary: Iterable[Tag], limit: int) -> tuple[Tag, ...]:
    """Return the chunk's tags: its primary ones, then those proposed, one a key, at most `limit`."""
    kept: dict[str, Tag] = {}
    for tag in (*primary, *proposed):
        if len(kept) >= min(limit, MOST_TAGS):
            break
        kept.setdefault(tag.key, tag)
    return tuple(kept.values())
