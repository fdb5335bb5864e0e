"""The fields of one record of a file, each taken by its type and within its limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bamboo_neo4j import strict_json
from bamboo_neo4j.connect.export.form import Record, is_day, is_moment

if TYPE_CHECKING:
    from collections.abc import Iterable

INDEXED_BYTES = 8161
"""What Neo4j 5.26 indexes at most: a longer text is refused, with the whole transaction (measured)."""
KEY_BYTES = 4000
"""Longest tag or word, which is indexed with the memory's name."""
NAME_CHARACTERS = 200
"""Longest id of an episode, fact, question or mind map."""
WHOLE = 2**62
LIST = 100_000
"""Longest list of one property."""

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]*")
_PROPERTY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_INDEXED = {"status": KEY_BYTES}


class Wrong(Exception):
    """What is wrong with a record."""


class Fields:
    """The fields of a record, which is used up: each is taken once, and none may be left over."""

    def __init__(self, record: Record) -> None:
        self._left = record

    @property
    def left(self) -> bool:
        """Whether something was not taken yet."""
        return bool(self._left)

    def done(self) -> None:
        """Refuse what was not asked for."""
        if self._left:
            raise Wrong(f"unknown field {min(self._left)!r}")

    def any(self, name: str) -> object:
        """Take a field of any type."""
        if name not in self._left:
            raise Wrong(f"no field {name!r}")
        return self._left.pop(name)

    def text(self, name: str, *, most: int | None = None) -> str:
        """Take a text of at most `most` bytes."""
        return checked_text(self.any(name), name, most=most)

    def text_or_none(self, name: str, *, most: int | None = None) -> str | None:
        """Take a text or null."""
        value = self.any(name)
        return None if value is None else checked_text(value, name, most=most)

    def key(self, name: str) -> str:
        """Take a text that is indexed: not empty, and short."""
        return checked_key(self.any(name), name)

    def name(self, name: str = "id") -> str:
        """Take the id of an episode, a fact, a question or a mind map."""
        return checked_name(self.any(name), name)

    def whole(self, name: str, *, least: int = 0) -> int:
        """Take a whole number."""
        return checked_whole(self.any(name), name, least=least)

    def whole_or_none(self, name: str, *, least: int = 0) -> int | None:
        """Take a whole number, null or nothing."""
        value = self._left.pop(name, None)
        return None if value is None else checked_whole(value, name, least=least)

    def share_or_none(self, name: str) -> float | None:
        """Take a number from 0 to 1, null or nothing."""
        value = self._left.pop(name, None)
        return None if value is None else checked_share(value, name)

    def moment_or_none(self, name: str) -> str | None:
        """Take a time in ISO 8601 with an offset, or null."""
        value = self.any(name)
        if value is not None and not is_moment(value):
            raise Wrong(f"{name!r} is no time in ISO 8601 with an offset")
        return value if isinstance(value, str) else None

    def items(self, name: str) -> list[object]:
        """Take a list."""
        value = self.any(name)
        if not isinstance(value, list) or len(value) > LIST:
            raise Wrong(f"{name!r} is no list of at most {LIST} entries")
        return value

    def pair(self) -> tuple[str, str]:
        """Take the two keys of an edge, the smaller first."""
        keys = [checked_key(key, "tags") for key in self.items("tags")]
        if len(keys) != 2 or keys[0] >= keys[1]:  # noqa: PLR2004 - two ends
            raise Wrong("'tags' are not two different keys in order")
        return keys[0], keys[1]

    def flag_or_none(self, name: str) -> bool | int | None:
        """Take a truth value, a whole number, null or nothing."""
        value = self._left.pop(name, None)
        return value if isinstance(value, bool) or value is None else checked_whole(value, name)

    def properties(self, *, lists: frozenset[str] = frozenset()) -> Record:
        """Take the properties of a node or a fact, as `form.pack` writes them.

        Those in `lists` are lists of texts or null, which the caller turns into what can be stored.
        """
        value = self.any("properties")
        if not isinstance(value, dict):
            raise Wrong("'properties' is no object")
        return {
            name: _texts(name, value[name]) if name in lists else _property(name, value[name])
            for name in value
        }


def parse(line: bytes) -> Record:
    """Parse a line: one object of strict JSON in UTF-8, without lone surrogates."""
    try:
        record = strict_json.parse(line.decode())
    except UnicodeDecodeError:
        raise Wrong("is not UTF-8") from None
    except strict_json.NotJson as error:
        raise Wrong(str(error)) from None
    if not isinstance(record, dict):
        raise Wrong("is no JSON object")
    if b"\\u" in line:
        _no_surrogates(record)
    return record


def checked_text(value: object, name: str, *, most: int | None = None) -> str:
    """Return `value` if it is a text of at most `most` bytes."""
    if not isinstance(value, str):
        raise Wrong(f"{name!r} is no text")
    if most is not None and (len(value) > most or len(value.encode()) > most):
        raise Wrong(f"{name!r} is longer than {most} bytes")
    return value


def checked_key(value: object, name: str) -> str:
    """Return `value` if it is a text that may be indexed."""
    text = checked_text(value, name, most=KEY_BYTES)
    if not text:
        raise Wrong(f"{name!r} is empty")
    return text


def checked_name(value: object, name: str) -> str:
    """Return `value` if it may be an id."""
    text = checked_text(value, name, most=NAME_CHARACTERS)
    if not _NAME.fullmatch(text):
        raise Wrong(f"{name!r} is no id of letters, digits, '_', '.', ':' and '-'")
    return text


def checked_whole(value: object, name: str, *, least: int = 0) -> int:
    """Return `value` if it is a whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= WHOLE:
        raise Wrong(f"{name!r} is no whole number from {least} on")
    return value


def checked_share(value: object, name: str) -> float:
    """Return `value` if it is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise Wrong(f"{name!r} is no number from 0 to 1")
    return float(value)


def _property(name: str, value: object) -> object:
    if not _PROPERTY.fullmatch(name) or name in {"id", "memory"}:
        raise Wrong(f"{name!r} cannot name a property")
    if isinstance(value, dict):
        if set(value) == {"datetime"} and is_moment(value["datetime"]):
            return value
        if set(value) == {"date"} and is_day(value["date"]):
            return value
        raise Wrong(f"the property {name!r} is no day and no time with an offset")
    entries = value if isinstance(value, list) else [value]
    if len(entries) > LIST or not _uniform(entries):
        raise Wrong(f"the property {name!r} is no text, number, truth value or list of one of these")
    if name in _INDEXED and isinstance(value, str):
        checked_text(value, name, most=_INDEXED[name])
    return value


def _texts(name: str, value: object) -> list[str | None]:
    if not isinstance(value, list) or len(value) > LIST:
        raise Wrong(f"the property {name!r} is no list of at most {LIST} entries")
    return [None if entry is None else checked_text(entry, name, most=KEY_BYTES) for entry in value]


def _uniform(entries: Iterable[object]) -> bool:
    """Whether a list can be stored: all of one type, or whole and other numbers."""
    kinds = {type(entry) for entry in entries}
    whole = (entry for entry in entries if isinstance(entry, int))
    small = all(-WHOLE <= entry <= WHOLE for entry in whole)
    return small and (len(kinds) <= 1 or kinds == {int, float}) and kinds <= {str, int, float, bool}


def _no_surrogates(value: Any) -> None:  # noqa: ANN401 - anything JSON holds
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Wrong("half a character (a lone surrogate)") from None
