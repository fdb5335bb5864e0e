"""The loader of `cypher/`: every statement is a file, and its path is its name.

A file is a comment block (a sentence, then why; `// Returns: …`), one line a parameter
(`:param name => literal;`, as Neo4j Browser and cypher-shell accept it) and one statement.
Files under `schema/` are migrations and hold several statements, each ended by a semicolon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bamboo_neo4j.errors import NotFound

_PACKAGE = Path(__file__).parent.parent
_PARAMETER = re.compile(r":param\s+(\w+)\s*=>\s*(.*?);?\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One Cypher statement: its text as it is sent, and what its file says of it."""

    name: str
    text: str
    about: str
    returns: str
    parameters: tuple[tuple[str, str], ...]
    source: str

    @property
    def summary(self) -> str:
        """The first sentence of the file."""
        return self.about.split(". ")[0].rstrip(".") + "."


def folder() -> Path:
    """Return the folder of the statements: in the package when installed, else in the checkout."""
    packaged = _PACKAGE / "cypher"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "cypher"


@cache
def load(name: str) -> Statement:
    """Return the statement called `name`, such as `recall/associate`; NotFound if there is none."""
    path = folder() / f"{name}.cypher"
    if name not in names():
        raise NotFound(f"no Cypher statement is called {name!r}", hint="bamboo cypher lists them")
    return parse(name, path.read_text(encoding="utf-8"))


@cache
def names() -> tuple[str, ...]:
    """Return the names of all statements, sorted."""
    root = folder()
    return tuple(sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.cypher")))


def parse(name: str, source: str) -> Statement:
    """Split the text of a file into comment, parameters and statement."""
    about: list[str] = []
    parameters: list[tuple[str, str]] = []
    body: list[str] = []
    for line in source.splitlines():
        parameter = _PARAMETER.fullmatch(line.strip())
        if parameter:
            parameters.append((parameter[1], parameter[2]))
        elif line.startswith("//") and not body:
            about.append(line[2:].strip())
        elif line.strip() or body:
            body.append(line)
    text = "\n".join(body).strip()
    doc = " ".join(about)
    before, _, after = doc.partition("Returns:")
    return Statement(name, text.removesuffix(";"), before.strip(), after.strip(), tuple(parameters), source)


def migrations() -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """Return the schema migrations in order: number, name, statements."""
    found = []
    for name in names():
        if name.startswith("schema/"):
            statement = load(name)
            parts = tuple(part.strip() for part in statement.text.split(";") if part.strip())
            found.append((int(name.removeprefix("schema/").split("_")[0]), name, parts))
    return tuple(sorted(found))
