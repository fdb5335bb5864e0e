"""The form of an export: one JSON object a line, in a fixed order, with nothing of one database in it.

Tags are named by key, chunks by a digest of document, text and number, ids without the memory's name.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.preparing import digest
from bamboo_neo4j.terminal import escaped

VERSION = 1
"""Version of the form; a file of another version is refused."""

TYPES = ("tag", "document", "chunk", "word", "edge", "fact", "coactivation", "episode", "mindmap")
"""The types of records in the order in which they come; chunks follow their document."""

LEARNED = ("strength", "usedStrength", "usedCycle", "activations", "emergent")
"""Properties of an edge that come from use; absent where nothing was learned."""

PENDING = ("usedStrength", "usedCycle", "activations")
"""What an edge has learned that is still to emerge from joint uses."""

Record = dict[str, Any]

SHOWN = 200
"""Characters of a value in an error."""

_OFFSET = r"(?:Z|[+-]\d\d:\d\d(?::\d\d)?)"
_MOMENT = re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?{_OFFSET}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def encode(record: Record) -> bytes:
    """Return a record as its line: real characters but controls, no NaN, ended by a line feed."""
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the memory holds a value that cannot be exported: {error}: {_shown(record)}",
            hint="bamboo check says where the graph is damaged",
        ) from None
    return escaped(text).encode() + b"\n"  # - writes to a terminal, where a document must not drive it


def chunk_name(document: str, text: str, number: int) -> str:
    """Return what a chunk is called in a file: it does not depend on the memory."""
    return digest(document, text, str(number))


def chunk_id(memory: str, document: str, *, text: str, number: int) -> str:
    """Return the id of a chunk in `memory`: the one that ingesting the same document gives it."""
    return f"{memory}:{digest(memory, document, text, str(number))}"


def without_memory(memory: str, graph_id: str) -> str:
    """Return an id of the graph without the memory's name before it."""
    return graph_id.removeprefix(f"{memory}:")


def pack(properties: Record) -> Record:
    """Return properties of a node in the types of JSON: a time becomes {"datetime": ISO 8601}.

    Raises InputError for a value that has no place in the form, such as a point.
    """
    return {name: _packed(name, properties[name]) for name in sorted(properties)}


def unpack(properties: Record) -> dict[str, Record]:
    """Return packed properties as parameters of a statement: `properties`, `times` and `dates`."""
    parts: dict[str, Record] = {"properties": {}, "times": {}, "dates": {}}
    for name, value in properties.items():
        if not isinstance(value, dict):
            parts["properties"][name] = value
        elif "datetime" in value:
            parts["times"][name] = value["datetime"]
        else:
            parts["dates"][name] = value["date"]
    return parts


def is_moment(text: object) -> bool:
    """Whether `text` is a time in ISO 8601 with an offset, at most nanoseconds."""
    from datetime import datetime

    if not isinstance(text, str) or not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(re.sub(r"(\.\d{1,6})\d*", r"\1", text))
    except ValueError:
        return False
    return True


def is_day(text: object) -> bool:
    """Whether `text` is a day in ISO 8601."""
    from datetime import date

    if not isinstance(text, str) or not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _packed(name: str, value: object) -> object:
    if hasattr(value, "iso_format"):
        text = value.iso_format()
        if is_moment(text):
            return {"datetime": text}
        if is_day(text):
            return {"date": text}
    plain = value if isinstance(value, list) else [value]
    if all(isinstance(entry, (str, bool, int, float)) for entry in plain) and not _infinite(plain):
        return value
    raise InputError(
        f"the property {name!r} holds a value that cannot be exported: {_shown(value)}",
        hint="text, numbers, truth values, lists of these, days and times with an offset can",
    )


def _infinite(values: list[object]) -> bool:
    return any(isinstance(value, float) and not math.isfinite(value) for value in values)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
