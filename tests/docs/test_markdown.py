"""Markdown as the house wants it: one sentence a line, and links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "cypher").glob("*.md")])
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)

# An end of a sentence with another one after it; "e.g." and "arXiv 2510.25724" are none.
NEXT_SENTENCE = re.compile(r"[\w)`*\"’][.!?] +(?=[A-Z`*\"])")


def prose(page: Path) -> str:
    """The page without code."""
    return re.sub(r"`[^`\n]*`", "``", FENCE.sub("", page.read_text(encoding="utf-8")))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_line_of_prose_is_one_sentence(page: Path) -> None:
    lines = [line for line in prose(page).splitlines() if not line.startswith(("|", "#", "<!--"))]
    assert not [line for line in lines if NEXT_SENTENCE.search(line) and "Copyright" not in line]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", FENCE.sub("", page.read_text(encoding="utf-8")))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_has_one_title_and_closed_fences(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^# ", FENCE.sub("", text), re.MULTILINE)) == 1
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) % 2 == 0


def test_every_page_of_docs_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert not {page for page in pages if f"({page})" not in index}
