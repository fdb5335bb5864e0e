"""How an installation or a start tells what it does: a step's name, bytes done, bytes in all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[str, int, int], None]
    """Called with a step's name, the bytes done and the bytes in all (0 and 0: a step without a size)."""

EVERY = 5.0  # seconds between two lines of one step
MEGABYTE = 1_000_000


def silent(step: str, done: int, total: int) -> None:
    """Report nothing."""


def by_line(tell: Callable[[str], None]) -> Progress:
    """Make a Progress that calls `tell` with a line for each new step, then each few seconds of it."""
    last = ("", 0.0)

    def report(step: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if step != last[0] or now - last[1] >= EVERY:
            last = (step, now)
            tell(f"{step}: {done / MEGABYTE:.0f} of {total / MEGABYTE:.0f} MB" if total else f"{step} …")

    return report
