"""Goals and limits: the user's own, from a JSON file, that answers are aligned with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bamboo_neo4j.forms import Strict, read_form

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST = 1_000_000
"""Bytes of a goals file."""

Text = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"\S")]
_HINT = 'write {"goals": ["…"], "limits": [{"limit": "…", "never": ["…"]}]}'


class Limit(Strict):
    """What no answer may do: `limit` in words, and words or phrases that no conclusion may `never` hold.

    `least_confidence` is what a conclusion must have. A limit with neither is for the model form alone.
    """

    limit: Text
    never: tuple[Text, ...] = ()
    least_confidence: float | None = Field(default=None, ge=0, le=1)


class Goals(Strict):
    """What answers are for, in words, and what they must not do."""

    goals: tuple[Text, ...] = Field(min_length=1, max_length=100)
    limits: tuple[Limit, ...] = Field(default=(), max_length=100)


def read_goals(source: Goals | Path | str | Mapping[str, object]) -> Goals:
    """Read goals and limits from a JSON file, or from the same in Python; raises InputError."""
    if isinstance(source, Goals):
        return source
    return read_form(source, Goals, what="the goals", hint=_HINT, most=LARGEST)
