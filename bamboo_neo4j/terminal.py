"""What text from documents and models may not do to a terminal: replaced for people, escaped in JSON."""

from __future__ import annotations

import re

UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls but line break and tab, what turns the direction of writing, and halves of surrogate pairs."""


def clean(text: str) -> str:
    """Replace what could drive a terminal."""
    return UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(json: str) -> str:
    """Return JSON that says the same without a character that could drive a terminal.

    Such characters stand inside strings alone, where JSON has an escape for each.
    """
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
