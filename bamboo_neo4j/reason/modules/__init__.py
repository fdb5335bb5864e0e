"""Reasoning modules: each takes a question and a memory, and says what it concludes and what it used.

A module of your own is any object with a `name`, a `description` and `reason`; a package offers it by an
entry point in the group `bamboo_neo4j.modules`: see docs/reasoning.md.
"""

from __future__ import annotations

import math
from importlib import metadata
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.records import ReasoningOutput, UsedPair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.reason.memory_view import Remembering

GROUP = "bamboo_neo4j.modules"
"""The group of entry points that modules of users' own are found by."""


@runtime_checkable
class ReasoningModule(Protocol):
    """A way of reasoning; may be called from several threads.

    `description` says in words what it is good for: the orchestrator compares questions with it.
    """

    @property
    def name(self) -> str:
        """The module's name, as it is given to `--module`."""

    @property
    def description(self) -> str:
        """What the module reasons about."""

    def reason(self, question: str, memory: Remembering, /) -> ReasoningOutput:
        """Return what the module concludes, with the ids of the facts and the pairs that it used.

        Raises NothingRecalled where it has nothing to say to this question.
        """


def offered() -> tuple[str, ...]:
    """Return the names of the modules that installed packages offer, sorted."""
    return tuple(sorted({entry.name for entry in metadata.entry_points(group=GROUP)}))


def load(name: str) -> ReasoningModule:
    """Return the module that an installed package offers as `name`: an object, or a class or function of it.

    Raises InputError when it cannot be loaded or is no module.
    """
    entry = next(each for each in metadata.entry_points(group=GROUP) if each.name == name)
    try:
        found = entry.load()
        module: object = found() if callable(found) and not _is_module(found) else found
    except Exception as error:
        shown = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise InputError(f"the module {name!r} ({entry.value}) cannot be loaded: {shown}") from error
    if not isinstance(module, ReasoningModule):
        raise InputError(
            f"{entry.value!r} is no reasoning module",
            hint="it needs the attributes name and description, and a method reason(question, memory)",
        )
    return module


def checked(output: object, *, module: str) -> ReasoningOutput:
    """Return what a module gave if it is a usable output, else raise InputError that says what is wrong."""
    if not isinstance(output, ReasoningOutput):
        kind = type(output).__name__
        raise InputError(f"the module {module!r} gave no usable output: it is {kind!r}, not ReasoningOutput")
    fault = next(_faults(output), "")
    if fault:
        raise InputError(f"the module {module!r} gave no usable output: {fault}")
    return output


def _faults(output: ReasoningOutput) -> Iterator[str]:
    """Yield what is wrong with an output: users' modules are not type-checked."""
    conclusion: object = output.conclusion
    if not isinstance(conclusion, str) or not conclusion.strip():
        yield "its conclusion is empty"
    if not _between(output.confidence, 0):
        yield f"its confidence is {output.confidence!r}, not from 0 to 1"
    if output.stance is not None and not _between(output.stance, -1):
        yield f"its stance is {output.stance!r}, not from -1 to 1"
    if not all(isinstance(each, str) for each in (*output.facts, *output.chunks, *output.path)):
        yield "its facts, chunks and path are not all strings"
    if not all(isinstance(each, UsedPair) for each in output.pairs):
        yield "its pairs are not all UsedPair"


def _between(value: object, lowest: float) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and lowest <= value <= 1


def _is_module(found: object) -> bool:
    return not isinstance(found, type) and isinstance(found, ReasoningModule)
