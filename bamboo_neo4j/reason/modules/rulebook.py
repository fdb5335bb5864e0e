"""The form of a rules file: triples with variables, what must not hold, and what follows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from bamboo_neo4j.forms import Strict

if TYPE_CHECKING:
    from typing import Self

VARIABLE = re.compile(r"\?(\w{1,40})")
_PLACE = re.compile(r"\{(\w{1,40})\}")

Text = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class Compared(Strict):
    """An object that is compared instead of named: all comparisons given must hold.

    `below`, `above`, `at_least` and `at_most` read the object as a number; one that is none does not hold.
    """

    below: float | None = None
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    is_not: Text | None = None
    one_of: tuple[Text, ...] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("it compares nothing")
        return self


Pattern = tuple[Text, Text, Text | Compared]
"""Subject, predicate and object: a name, a variable (`?contract`), or for the object a comparison."""


class Rule(Strict):
    """One rule: where `if` holds and no `unless` does, it says `then`."""

    name: Text
    when: tuple[Pattern, ...] = Field(alias="if", min_length=1, max_length=8)
    unless: tuple[Pattern, ...] = Field(default=(), max_length=8)
    then: Text
    confidence: float = Field(default=1.0, ge=0, le=1)
    stance: float | None = Field(default=None, ge=-1, le=1)

    @model_validator(mode="after")
    def _bound(self) -> Self:
        """Refuse a conclusion about what no condition names, and predicates that are variables."""
        known = {name for pattern in self.when for name in variables(pattern)}
        missing = sorted(set(_PLACE.findall(self.then)) - known)
        if missing:
            raise ValueError(f"{{{missing[0]}}} in 'then' is no variable of 'if'")
        if any(VARIABLE.fullmatch(pattern[1]) for pattern in (*self.when, *self.unless)):
            raise ValueError("a predicate cannot be a variable")
        return self

    def says(self, bound: dict[str, str]) -> str:
        """Return the conclusion with the names that the variables stand for."""
        return _PLACE.sub(lambda place: bound[place[1]], self.then)


class Rulebook(Strict):
    """A rules file; `description` says what it is about, which the orchestrator compares questions with."""

    description: str = Field(default="", max_length=2_000)
    rules: tuple[Rule, ...] = Field(min_length=1, max_length=500)


def variables(pattern: Pattern) -> tuple[str, ...]:
    """Return the names of the variables of a pattern, without the question mark."""
    parts = (part for part in pattern if isinstance(part, str))
    return tuple(found[1] for part in parts if (found := VARIABLE.fullmatch(part)))


def number(text: str) -> float | None:
    """Return the number that a text says (1,000.5, −3 %, $5), None where it is none."""
    text = text.strip().replace("−", "-").rstrip("% ").lstrip("$€£ ").replace(",", "")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
