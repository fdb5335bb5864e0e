"""Errors: one root, each with its exit code and the next step."""

from __future__ import annotations

import inspect
import re

import pytest

from bamboo_neo4j import errors
from bamboo_neo4j.errors import BambooError, InputError, MissingExtra

# The exit codes that the command line promises.
PROMISED = {
    "BambooError": 1,
    "InputError": 1,
    "FaultsFound": 1,
    "UsageError": 2,
    "MissingExtra": 2,
    "NothingRecalled": 3,
    "DatabaseError": 4,
    "ServerError": 4,
    "DamagedGraph": 4,
    "OtherWordRules": 4,
    "OutcomeUnknown": 4,
    "LimitReached": 5,
    "ModelError": 6,
    "UnusableReply": 6,
    "NotFound": 7,
}


def all_errors() -> dict[str, type[BambooError]]:
    found = inspect.getmembers(errors, inspect.isclass)
    return {name: kind for name, kind in found if issubclass(kind, BambooError)}


def test_exit_codes_are_the_promised_ones() -> None:
    assert {name: kind.exit_code for name, kind in all_errors().items()} == PROMISED


def test_the_tree_drawn_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"^([│├└─ ]*)(\w+) +(\d)(?: |$)", inspect.getdoc(errors) or "", re.MULTILINE)
    parents: list[str] = []
    seen = {}
    for indent, name, code in drawn:
        depth = len(indent) // 4 - 1  # the whole tree is indented once
        parents[depth:] = [name]
        seen[name] = (parents[depth - 1] if depth else "Exception", int(code))
    assert seen == {name: (kind.__mro__[1].__name__, kind.exit_code) for name, kind in all_errors().items()}


def test_an_error_reads_as_what_happened_and_then_what_to_do() -> None:
    error = InputError("cannot read 'a.pdf': it is encrypted", hint="give it without a password")
    assert str(error) == "cannot read 'a.pdf': it is encrypted\ngive it without a password"
    assert (error.message, error.hint) == tuple(str(error).splitlines())


def test_an_error_without_a_next_step_is_one_line() -> None:
    assert str(InputError("nothing to read")) == "nothing to read"


def test_a_missing_extra_is_named_with_the_command_that_installs_it() -> None:
    error = MissingExtra("pypdf", extra="files", purpose="reading 'a.pdf'")
    assert "'pypdf'" in error.message
    assert "'a.pdf'" in error.message
    assert error.hint.endswith('pip install "bamboo-neo4j[files]"')


@pytest.mark.parametrize("kind", all_errors().values(), ids=lambda kind: kind.__name__)
def test_one_except_clause_catches_every_error(kind: type[BambooError]) -> None:
    assert issubclass(kind, BambooError)
    assert (kind.__doc__ or "").strip().endswith(".")
