"""Goals and limits: the user's own, from a JSON file, that answers are aligned with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 1_000_000
"""Bytes of a goals file."""

Text = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"\S")]


class Limit(BaseModel):
    """What no answer may do: `limit` in words, and words or phrases that no conclusion may `never` hold.

    `least_confidence` is what a conclusion must have. A limit with neither is for the model form alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    limit: Text
    never: tuple[Text, ...] = ()
    least_confidence: float | None = Field(default=None, ge=0, le=1)


class Goals(BaseModel):
    """What answers are for, in words, and what they must not do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    goals: tuple[Text, ...] = Field(min_length=1, max_length=100)
    limits: tuple[Limit, ...] = Field(default=(), max_length=100)


def read_goals(source: Goals | Path | str | Mapping[str, object]) -> Goals:
    """Read goals and limits from a JSON file, or from the same in Python; raises InputError."""
    if isinstance(source, Goals):
        return source
    where = "the goals"
    value: object = source
    if isinstance(source, Path | str):
        where, value = repr(str(source)), _read(Path(source))
    try:
        return Goals.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise InputError(
            f"{where} cannot be used: {f'{place}: ' if place else ''}{first['msg']}",
            hint='write {"goals": ["…"], "limits": [{"limit": "…", "never": ["…"]}]}',
        ) from None


def _read(path: Path) -> object:
    require_file(path, "the goals file", most=LARGEST)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_number)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"the goals file {str(path)!r} cannot be read: {reason}") from None
    except (ValueError, RecursionError) as error:
        shown = " ".join(str(error).split())[:100]
        raise InputError(f"the goals file {str(path)!r} is no JSON: {shown}") from None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
