"""Files of JSON that users write by a form, such as rules and goals: a wrong key or value is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import LARGEST, read_text
from bamboo_neo4j.strict_json import NotJson, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    from pydantic_core import ErrorDetails

    Source = Path | str | Mapping[str, object] | Sequence[object]
    Shape = TypeVar("Shape", bound=BaseModel)

HINT = "docs/reasoning.md has its form"


class Strict(BaseModel):
    """A part of a form; a key that it does not know is a mistake that is named."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def read_form(
    source: Source, shape: type[Shape], *, what: str, hint: str = HINT, most: int = LARGEST
) -> Shape:
    """Return the JSON of a file of at most `most` bytes, or the same in Python, in a model's shape.

    Raises InputError for what is unfit; it names `what` ("the rules"), the file, and the place or the key.
    """
    if not isinstance(source, Path | str):
        return _as_shape(source, shape, where=what, hint=hint)
    path = Path(source)
    named = f"{what} file"
    text = read_text(path, named, most=most)
    where = f"{named} {str(path)!r}"
    try:
        value = parse(text)
    except NotJson as error:
        raise InputError(f"{where} {error}", hint=hint) from None
    return _as_shape(value, shape, where=where, hint=hint)


def _as_shape(value: object, shape: type[Shape], *, where: str, hint: str) -> Shape:
    """Return `value` in the shape of a model; InputError names the first key that is wrong."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        first = _telling(errors)
        place = ".".join(str(step) for step in first["loc"] if not _is_way(step))
        said = first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{where} cannot be used: {f'{place}: ' if place else ''}{said}", hint=hint
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
