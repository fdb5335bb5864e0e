"""The files that modules read: JSON and CSV in UTF-8, with errors that name the file and the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    from pydantic_core import ErrorDetails

    Source = Path | str | Mapping[str, object] | Sequence[object]
    Shape = TypeVar("Shape", bound=BaseModel)

LARGEST = 64 * 1024 * 1024
"""Bytes of a file at most: all of it is held in memory."""


class Strict(BaseModel):
    """A part of a file; a key that it does not know is a mistake that is named."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark; InputError says why not."""
    require_file(path, "the file", most=LARGEST)
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{str(path)!r} cannot be read: {reason}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{str(path)!r}, line {number} is not UTF-8", hint="save it as UTF-8") from None


def read_shape(source: Source, shape: type[Shape], *, what: str) -> Shape:
    """Return the JSON of a file, or the same in Python, in a model's shape.

    Raises InputError, which names the line or the key, for what is unfit.
    """
    if not isinstance(source, Path | str):
        return _as_shape(source, shape, where=what)
    path = Path(source)
    text = read_text(path)
    try:
        value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"{str(path)!r}, line {error.lineno} is no JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{str(path)!r} is no JSON: {str(error)[:100]}") from None
    return _as_shape(value, shape, where=repr(str(path)))


def _as_shape(value: object, shape: type[Shape], *, where: str) -> Shape:
    """Return `value` in the shape of a model; InputError names the first key that is wrong."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        first = _telling(errors)
        place = ".".join(str(step) for step in first["loc"] if not _is_way(step))
        said = first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{where} cannot be used: {f'{place}: ' if place else ''}{said}",
            hint="docs/reasoning.md has its form",
        ) from None


def _telling(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    """Return the first error; of those about a value that may be one of two things and is neither, the best.

    That is one of ours, else the one that looked farthest into the value.
    """
    ours = next((each for each in errors if each["type"] == "value_error"), None)
    place = errors[0]["loc"]
    if ours or not place or not _is_way(place[-1]):
        return ours or errors[0]
    about = [each for each in errors if each["loc"][: len(place) - 1] == place[:-1]]
    return max(about, key=lambda each: len(each["loc"]))


def _is_way(step: int | str) -> bool:
    """Whether a step of a place is no key, but pydantic's name of one of the ways to read a value."""
    return isinstance(step, str) and step.startswith(("constrained-", "function-"))


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
