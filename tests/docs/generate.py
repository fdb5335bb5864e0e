"""Write the pages that are made from the program itself: `python -m tests.docs.generate`.

tests/docs/test_generated.py fails while one of them is not what this would write.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import bamboo
from bamboo_neo4j.graph.statements import load, migrations, names

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
README = ROOT / "cypher" / "README.md"
COMMANDS = ROOT / "docs" / "commands.md"

INDEX = re.compile(r"(<!-- statements: [^\n]+ -->\n).*?(<!-- end of statements -->)", re.DOTALL)


def cypher_readme(text: str) -> str:
    """Return cypher/README.md with its index of statements as the files are now."""
    assert INDEX.search(text), "the marks of the index are gone"
    return INDEX.sub(lambda marks: f"{marks[1]}\n{statement_index()}\n{marks[2]}", text)


def statement_index() -> str:
    """Return the index: a section a folder, and each statement with parameters, purpose and result."""
    sections = []
    for folder, group in groupby(names(), key=lambda name: name.split("/")[0]):
        entries = [migration(name) if folder == "schema" else entry(name) for name in group]
        sections.append(f"### {folder}\n\n" + "\n".join(entries) + "\n")
    return "\n".join(sections)


def entry(name: str) -> str:
    """Return a statement's line: `folder/name($parameters)`, its first sentence, what it returns."""
    statement = load(name)
    parameters = ", ".join(f"${parameter}" for parameter, _ in statement.parameters)
    return f"- `{name}({parameters})`: {statement.summary}\n  Returns {sentence(statement.returns)}"


def migration(name: str) -> str:
    """Return a migration's line: its name, what it does and of how many statements it consists."""
    count = next(len(statements) for _, each, statements in migrations() if each == name)
    return f"- `{name}`, {count} statements: {load(name).summary}"


def sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def commands_page() -> str:
    """Return docs/commands.md: the help of every command, as `--help` prints it."""
    codes = "\n".join(f"| {code} | {text} |" for code, text in EXIT_CODES)
    sections = [f"{COMMANDS_HEAD}\n\n| exit code | meaning |\n| --- | --- |\n{codes}"]
    for path, context in walk(root()):
        level = "#" * min(len(path.split()) + 1, 4)
        sections.append(f"{level} {path}\n\n```text\n{context.get_help().rstrip()}\n```")
    return "\n\n".join(sections) + "\n"


COMMANDS_HEAD = """\
# Commands

This is what `bamboo COMMAND --help` prints, for every command.
Data goes to standard output, everything else to standard error.
`-` is standard input.
`--json` prints data as JSON: its keys are the names of the Python records' fields, such as `valid_from`.
The graph and an exported file keep the names of the graph's properties, such as `validFrom`."""

EXIT_CODES = [
    (0, "done"),
    (1, "some inputs failed, or `check` found faults"),
    (2, "a wrong argument, name or setting, or a package that is not installed"),
    (3, "abstained, or nothing recalled: the memory has not learned what was asked"),
    (4, "the database cannot be reached or refused"),
    (5, "a limit was reached"),
    (6, "the model service failed"),
    (7, "no such document, tag, fact, episode, question, memory or statement"),
    (130, "interrupted"),
]


def root() -> click.Context:
    """Return the context that `bamboo --help` is printed in, 100 columns wide."""
    return click.Context(bamboo, info_name="bamboo", terminal_width=100, **bamboo.context_settings)


def walk(context: click.Context) -> Iterator[tuple[str, click.Context]]:
    """Yield each command, the groups before what is in them, with the context that prints its help."""
    yield context.command_path, context
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child, name
            yield from walk(click.Context(child, info_name=name, parent=context))


def main() -> None:
    """Write the pages."""
    README.write_text(cypher_readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    COMMANDS.write_text(commands_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
