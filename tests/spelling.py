"""The keys of JSON that commands print: as Python spells the fields of records, never as the graph does."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HUMP = re.compile(r"[a-z0-9][A-Z]")


def keys(value: Any) -> Iterator[str]:  # noqa: ANN401 - whatever JSON holds
    """Yield every key of a value, at any depth."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from keys(member)


def misspelled(printed: str) -> list[str]:
    """Return the keys in camel case of what `--json` printed; none where it printed no JSON."""
    try:
        return [key for key in keys(json.loads(printed)) if HUMP.search(key)]
    except json.JSONDecodeError:
        return []
