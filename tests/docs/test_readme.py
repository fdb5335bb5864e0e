"""Every code block of README.md is run, and its output is what it really gives."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.cli.demo import sample_questions

if TYPE_CHECKING:
    from neo4j import Driver

    from bamboo_neo4j.settings import Settings

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
APOLLO = ROOT / "examples" / "apollo"
SAMPLE = ROOT / "bamboo_neo4j" / "sample" / "documents"

MEMORY = "test-readme"

# Commands of the README that are run elsewhere: installing by .ci/run and by the packaging tests, compose
# where an engine is. What is left over is run here.
ELSEWHERE = ("pip install", "docker compose", "export ", "pytest")


AGAIN = "write the outputs again: BAMBOO_WRITE_README=1 pytest tests/docs/test_readme.py"


class Block(NamedTuple):
    """A fenced block: its language, its text, and the output that is shown right after it."""

    language: str
    text: str
    output: str


def blocks() -> list[Block]:
    text = README.read_text(encoding="utf-8")
    found: list[Block] = []
    for language, body in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language == "text":
            # It is the output of the last block before it that runs a command of ours.
            last = max(i for i, each in enumerate(found) if each.language == "bash" and commands(each))
            found[last] = found[last]._replace(output=body)
        found.append(Block(language, body, ""))
    return found


def of(language: str) -> list[Block]:
    return [block for block in blocks() if block.language == language]


def commands(block: Block) -> list[str]:
    """The `bamboo` commands of a block; an installation before them is run elsewhere."""
    lines = [part.strip() for line in block.text.splitlines() for part in line.split("&&")]
    return [line for line in lines if line and not line.startswith(ELSEWHERE)]


def steady(text: str) -> str:
    """An output without what differs from run to run: addresses, times, and blanks at the ends of lines."""
    text = re.sub(r"file://\S*/notes/", "PLACE", text)
    text = re.sub(r"(bolt|neo4j|http)://[\w.:-]+", "ADDRESS", text)
    text = re.sub(r"\d[\d,.]* m?s\b", "TIME", text)
    text = re.sub(r"\S+:[0-9a-f]{32}\b", "EPISODE", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.fixture(scope="module")
def reader(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a reader of the README sits in: with notes of their own, here the sample."""
    with Memory.open(MEMORY, driver=driver) as memory:
        memory.forget_all()  # what an earlier run has learned would show
    place = tmp_path_factory.mktemp("reader")
    shutil.copytree(SAMPLE, place / "notes")
    shutil.copytree(APOLLO, place / "examples" / "apollo")
    return place


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))}
    ours = {
        "NEO4J_URI": settings["uri"],
        "NEO4J_USERNAME": settings["username"],
        "NEO4J_PASSWORD": settings["password"],
        "BAMBOO_MEMORY": MEMORY,
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "100",
    }
    return kept | ours


def run(words: list[str], place: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        words, cwd=place, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def test_every_bash_block_does_what_it_shows(reader: Path, environment: dict[str, str]) -> None:
    ran = 0
    for block in of("bash"):
        output = ""
        for line in commands(block):
            program, *arguments = shlex.split(line)
            assert program == "bamboo", line
            output = run([sys.executable, "-m", "bamboo_neo4j", *arguments], reader, environment)
            ran += 1
        if not block.output or steady(output) == steady(block.output):
            continue
        assert os.environ.get("BAMBOO_WRITE_README"), f"{AGAIN}\n{output}"
        write(block.output, output)
    assert ran >= 8


def write(before: str, output: str) -> None:
    """Put a new output in the place of one that README.md shows."""
    place = re.compile(r"file://\S*/notes/")
    text = README.read_text(encoding="utf-8")
    shown = place.sub("file:///home/you/notes/", f"{output.strip()}\n").replace(f" {MEMORY}:", " default:")
    README.write_text(text.replace(before, shown), encoding="utf-8")


def test_every_python_block_runs_as_it_stands(reader: Path, environment: dict[str, str]) -> None:
    outputs = [run([sys.executable, "-c", block.text], reader, environment) for block in of("python")]
    assert len(outputs) >= 2
    assert all("Ada Kern" in output for output in outputs)


def test_every_cypher_block_finds_something(
    reader: Path, environment: dict[str, str], driver: Driver
) -> None:
    run([sys.executable, "-m", "bamboo_neo4j", "demo"], reader, environment)
    pages = [README, ROOT / "cypher" / "README.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    statements = [
        text
        for page in texts
        for text in re.findall(r"^```cypher\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    ]
    assert statements
    for statement in statements:
        assert driver.execute_query(statement).records, statement


def test_no_block_is_of_a_kind_that_no_test_runs() -> None:
    assert {block.language for block in blocks()} == {"bash", "text", "mermaid", "python", "cypher"}


def test_the_two_commands_are_in_the_first_screen_and_are_what_ci_runs() -> None:
    first = README.read_text(encoding="utf-8").splitlines()
    demo, test = (
        first.index(line)
        for line in ('pip install ".[local]" && bamboo demo', 'pip install ".[dev]" && pytest')
    )
    assert demo < 15
    assert test < 60
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"grep -E '([^']+)' README\.md", script)
    assert pattern
    assert [line for line in first if re.search(pattern[1], line)] == ['pip install ".[dev]" && pytest']


def test_the_questions_of_the_sample_need_two_documents_that_are_there() -> None:
    names = {path.name for path in SAMPLE.iterdir()}
    for each in sample_questions():
        assert len(set(each["documents"])) == 2
        assert set(each["documents"]) <= names
        holding = [
            path.name
            for path in SAMPLE.iterdir()
            if each["answer"].removeprefix("the ") in path.read_text("utf-8")
        ]
        assert set(holding) & set(each["documents"])
