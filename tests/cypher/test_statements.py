"""Every statement under cypher/ is documented, plans well, and does what its place says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neo4j
import pytest
from neo4j.graph import Entity
from neo4j.graph import Path as GraphPath

from bamboo_neo4j.errors import NotFound
from bamboo_neo4j.graph.statements import Statement, folder, load, migrations, names, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGE = Path(__file__).parents[2] / "bamboo_neo4j"
STATEMENTS = [name for name in names() if not name.startswith("schema/")]
READS = [name for name in STATEMENTS if name.startswith(("recall/", "inspect/", "export/"))]
# The others are planned on a server that has APOC: tests/graph/test_schedule.py.
EVERYWHERE = [name for name in STATEMENTS if "Needs: APOC" not in load(name).about]

# Operators that read more than what was asked for; a file that has one says why in
# `// Allows: X because …`.
COSTLY = {
    "AllNodesScan",
    "CartesianProduct",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
}


def code(text: str) -> str:
    """A statement without comments and without what stands in quotes."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def allowed(statement: Statement) -> set[str]:
    return set(re.findall(r"Allows: (\w+) because \w+", statement.about + statement.returns))


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].split("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


@pytest.mark.parametrize("name", names())
def test_a_statement_says_what_it_does_why_and_what_it_returns(name: str) -> None:
    statement = load(name)
    assert re.match(r"[A-Z].+[.:]", statement.about), "begin with a sentence"
    assert statement.returns
    assert len(statement.summary) <= 160


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_names_every_column_that_it_returns(name: str) -> None:
    statement = load(name)
    assert [
        each for each in columns(statement.text) if not re.search(rf"\b{each}\b", statement.returns)
    ] == []


def test_columns_are_those_of_the_last_return_outside_braces() -> None:
    text = "CALL () { RETURN 1 AS no }\nRETURN DISTINCT a AS one, [x IN f(b, c) | x] AS two, n ORDER BY one"
    assert columns(text) == ["one", "two", "n"]


def columns(text: str) -> list[str]:
    """The names after the last RETURN of a statement, without what stands in brackets of any kind."""
    outside, depth = [], 0
    for character in code(text):
        depth -= character in "})]"
        outside.append(character if depth == 0 and character not in "{([})]" else "")
        depth += character in "{(["
    _, *returns = re.split(r"\bRETURN\b", "".join(outside))
    listed = re.split(r"\b(?:ORDER BY|SKIP|LIMIT)\b", returns[-1])[0] if returns else ""
    return [re.findall(r"\w+", part)[-1] for part in listed.split(",") if part.strip()]


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_parameters_used_are_those_with_a_sample(name: str) -> None:
    statement = load(name)
    used = set(re.findall(r"\$(\w+)", code(statement.text)))
    declared = [parameter for parameter, _ in statement.parameters]
    assert used == set(declared)
    assert len(declared) == len(set(declared))


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_file_holds_one_statement_and_nothing_after_it(name: str) -> None:
    statement = load(name)
    assert ";" not in code(statement.text)
    assert statement.source.count("\n:param") + statement.source.startswith(":param") == len(
        statement.parameters
    )


@pytest.mark.parametrize("name", names())
def test_a_file_can_be_read_anywhere(name: str) -> None:
    lines = load(name).source.splitlines()
    assert max(map(len, lines)) <= 160
    assert not [line for line in lines if "\t" in line or line != line.rstrip()]


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_used_by_one_room_or_meant_for_people(name: str) -> None:
    folder, short = name.split("/")
    rooms = {room(path) for path, strings in _strings().items() if name in strings and path != SHAPES}
    # A room may run the statements of its own folder by their short names.
    rooms |= {folder for path, strings in _strings().items() if room(path) == folder and short in strings}
    assert len(rooms) <= 1 if name.startswith("inspect/") else len(rooms) == 1


SHAPES = PACKAGE / "graph" / "shapes.py"
"""What the rows of statements look like, whichever room runs them."""


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def test_no_statement_is_named_that_is_not_there() -> None:
    folders = "|".join(sorted({name.split("/")[0] for name in names()}))
    shape = re.compile(rf"(?:{folders})/[a-z_0-9]+")
    named = {text for strings in _strings().values() for text in strings if shape.fullmatch(text)}
    assert named <= set(names())


def _strings() -> dict[Path, set[str]]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        found[path] = {
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    return found


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_samples_are_cypher(name: str, driver: neo4j.Driver) -> None:
    sampled(driver, load(name))


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_statement_plans_on_the_real_server_and_reads_only_what_it_needs(
    name: str, demo: neo4j.Driver
) -> None:
    statement = load(name)
    records = demo.execute_query(f"EXPLAIN {statement.text}", sampled(demo, statement))
    plan = records.summary.plan
    assert plan
    assert COSTLY & set(operators(plan)) <= allowed(statement), "a file says why it reads so much"


@pytest.mark.parametrize("name", READS)
def test_a_statement_for_reading_works_on_the_demo_graph_with_read_access(
    name: str, demo: neo4j.Driver
) -> None:
    statement = load(name)
    parameters = sampled(demo, statement)
    with demo.session(default_access_mode=neo4j.READ_ACCESS) as session:
        rows = session.execute_read(lambda tx: list(tx.run(statement.text, parameters)))
    assert rows or name.startswith(("inspect/", "export/"))
    # What is drawn needs whole paths; what a program reads is scalars and lists.
    if "Neo4j Browser" not in statement.about:
        values = flat(value for row in rows for value in row.values())
        assert not [value for value in values if isinstance(value, Entity | GraphPath)]


def flat(values: Iterable[object]) -> Iterator[object]:
    """All values inside lists and maps too."""
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        elif isinstance(value, dict):
            yield from flat(value.values())
        else:
            yield value


def sampled(driver: neo4j.Driver, statement: Statement) -> dict[str, object]:
    """The sample parameters of a statement, as the server reads them."""
    parts = ", ".join(f"{value} AS `{name}`" for name, value in statement.parameters)
    if not parts:
        return {}
    row = driver.execute_query(f"RETURN {parts}").records[0]
    return row.data()


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    numbers = [number for number, _, _ in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(re.fullmatch(r"schema/\d{4}_[a-z_]+", name) for _, name, _ in migrations())


@pytest.mark.parametrize("name", [name for _, name, _ in migrations()])
def test_a_migration_can_be_run_again(name: str) -> None:
    parts = [part for _, each, parts in migrations() if each == name for part in parts]
    assert parts
    assert all(re.match(r"(CREATE|DROP) .*IF (NOT )?EXISTS", part.splitlines()[0]) for part in parts)


def test_an_unknown_statement_is_not_found_and_says_what_to_do() -> None:
    with pytest.raises(NotFound, match="recall/nothing") as caught:
        load("recall/nothing")
    assert "bamboo cypher" in caught.value.hint


@pytest.mark.parametrize("name", ["../pyproject", "recall/../schema/0001_memory", "/etc/passwd", ""])
def test_only_what_lies_under_cypher_is_loaded(name: str) -> None:
    with pytest.raises(NotFound):
        load(name)


def test_a_file_is_split_into_what_it_says_and_what_it_runs() -> None:
    statement = parse(
        "recall/two",
        "// Counts tags. It reads no more.\n// Returns: tags.\n"
        ':param memory => "demo";\n:param n => {a: 1};\n'
        "MATCH (t:Tag {memory: $memory})\n// inside\nRETURN count(t) AS tags;\n",
    )
    assert statement.summary == "Counts tags."
    assert statement.returns == "tags."
    assert statement.parameters == (("memory", '"demo"'), ("n", "{a: 1}"))
    assert statement.text == "MATCH (t:Tag {memory: $memory})\n// inside\nRETURN count(t) AS tags"


def test_the_statements_are_found_in_the_checkout() -> None:
    assert (folder() / "README.md").is_file()
