"""JSON to text: `path.to.key: value` lines, or passages."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j import strict_json

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Passage:
    """A record `{"id", "title", "text", …}`; other keys are left aside. `id` is "" where there is none."""

    id: str
    title: str
    text: str


class NotUsable(ValueError):
    """A value that is no JSON, or a record that is no passage although it looks like one."""


def parse(text: str) -> Json:
    """Return the value of `text`. NaN and Infinity are taken as they are; raises NotUsable."""
    try:
        value: Json = strict_json.parse(text, any_number=True)
    except strict_json.NotJson as error:
        raise NotUsable(str(error)) from None
    return value


def passage(value: Json) -> Passage | None:
    """Return `value` as a passage if it is an object with a `text`, else None.

    Raises NotUsable when its text, title or id is of another kind than a string (an id may be an integer).
    """
    if not isinstance(value, dict) or "text" not in value:
        return None
    text, title, key = value["text"], value.get("title"), value.get("id", value.get("_id"))
    if not isinstance(text, str) or not isinstance(title, str | None):
        raise NotUsable("the text or title of the passage is not a string")
    if isinstance(key, bool) or not isinstance(key, str | int | None) or key == "":
        raise NotUsable("the id of the passage is neither a string nor an integer")
    return Passage("" if key is None else str(key), title or "", text)


def title(value: Json) -> str:
    """Return the `title` or `name` of an object, if it is a string."""
    named = [value.get("title"), value.get("name")] if isinstance(value, dict) else []
    return next((each for each in named if isinstance(each, str)), "")


def digest(found: Passage) -> str:
    """Return a name for a passage without an id: the same text has the same name wherever it stands."""
    return hashlib.sha256(f"{found.title}\x00{found.text}".encode("utf-8", "replace")).hexdigest()[:16]


def flatten(value: Json) -> str:
    """Return `value` as lines `path.to.key: value`, in its own order.

    A list of plain values is one line, joined by commas; the members of other lists are set apart by an empty
    line (their numbers are not written); null and empty values are left out; true, false, NaN and Infinity
    are written as JSON has them. Raises NotUsable beyond 200 levels.
    """
    lines: list[str] = []
    for line in _lines(value, (), 0):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n")


def _lines(value: Json, path: tuple[str, ...], depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise NotUsable(f"is nested more than {_DEEPEST} levels deep")
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _lines(member, (*path, " ".join(key.split())), depth + 1)
    elif isinstance(value, list) and any(isinstance(member, dict | list) for member in value):
        for member in value:
            yield ""
            yield from _lines(member, path, depth + 1)
        yield ""
    else:
        members = value if isinstance(value, list) else [value]
        shown = ", ".join(text for member in members if (text := _scalar(member)))
        if shown:
            yield f"{'.'.join(path)}: {shown}" if path else shown


def _scalar(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    try:
        return json.dumps(value)
    except ValueError:  # an integer of more digits than Python prints
        return ""


def dump(value: Json) -> bytes:
    """Return `value` as one line of JSON."""
    return json.dumps(value).encode()
