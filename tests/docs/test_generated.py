"""Pages made from the program are current, and every command is documented and has help."""

from __future__ import annotations

import inspect
import re

import click
import pytest

from bamboo_neo4j import errors
from bamboo_neo4j.graph.statements import load, names
from tests.docs.generate import COMMANDS, EXIT_CODES, README, commands_page, cypher_readme, root, walk

AGAIN = "write it again: python -m tests.docs.generate"


def commands() -> dict[str, click.Command]:
    return {path: context.command for path, context in walk(root())}


def test_the_index_of_statements_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == cypher_readme(text), AGAIN


def test_the_index_names_every_statement_with_its_parameters() -> None:
    text = README.read_text(encoding="utf-8")
    for name in names():
        parameters = ", ".join(f"${parameter}" for parameter, _ in load(name).parameters)
        assert f"`{name}({parameters})`" in text or name.startswith("schema/")


def test_the_readme_of_the_graph_names_every_label_and_type_that_is_used() -> None:
    page = README.read_text(encoding="utf-8")
    text = "\n".join(re.sub(r"//[^\n]*", "", load(name).text) for name in names())
    used = set(re.findall(r"\(\w*:([A-Z][A-Za-z]+)", text)) | set(re.findall(r"\[\w*:([A-Z_]+)", text))
    assert used
    assert not {word for word in used if f"`{word}`" not in page}


def test_the_page_of_commands_is_current() -> None:
    assert COMMANDS.read_text(encoding="utf-8") == commands_page(), AGAIN


@pytest.mark.parametrize("path", commands())
def test_a_command_says_what_it_does(path: str) -> None:
    command = commands()[path]
    text = command.help or ""
    assert re.match(r"[A-Z].*[.?:]", text.replace("\n", " ")), "begin with a sentence"
    assert command.get_short_help_str(limit=200)


@pytest.mark.parametrize("path", commands())
def test_every_option_says_what_it_does(path: str) -> None:
    options = [each for each in commands()[path].params if isinstance(each, click.Option)]
    assert not [option.opts for option in options if not option.help]


def test_the_page_of_commands_names_every_exit_code() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    codes = {kind.exit_code for kind in kinds if issubclass(kind, errors.BambooError)}
    assert codes <= {code for code, _ in EXIT_CODES}
