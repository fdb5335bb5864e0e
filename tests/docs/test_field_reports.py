"""docs/field-reports.md has a line for each number that a test is named after, and names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "field-reports.md").read_text(encoding="utf-8")
LINES = re.findall(
    r"^\| (P\d\d) \| ([\w./-]+#\d+) \| [^|]+ \| `(tests/\w+/\w+\.py)::(\w+)` \|$", PAGE, re.MULTILINE
)


def test_every_line_has_a_number_a_report_and_a_test_of_that_number() -> None:
    assert len(LINES) == len(re.findall(r"^\| P", PAGE, re.MULTILINE))
    for number, _, file, test in LINES:
        assert f"\ndef {test}(" in (ROOT / file).read_text(encoding="utf-8"), test
        assert f"_{number.lower()}_" in test


def test_every_number_that_a_test_is_named_after_has_a_line() -> None:
    tests = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    named = {
        number
        for name in re.findall(r"\ndef (test_\w+)", tests)
        for number in re.findall("_(p[0-9]{2})(?=_)", name)
    }
    assert [number for number, *_ in LINES] == sorted(number.upper() for number in named)
