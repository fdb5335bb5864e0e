"""Answers of a service within bounds: one that trickles or has no end is given up.

The client's own timeout is for one read from the network; a byte now and then would hold it for ever.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one answer; the longest that a model writes is a hundredth of that."""


class Unbounded(Exception):
    """The answer is longer, or takes longer, than any that is read."""


def bound(seconds: float) -> Callable[[Any], None]:
    """Return a hook for responses of an HTTP client: a body may take `seconds` and `MOST_BYTES` at most.

    Reading one that takes more raises `Unbounded`.
    """

    def hook(response: Any) -> None:  # noqa: ANN401 - the client's libraries differ by its version
        read, end = response.iter_raw, time.monotonic() + seconds
        response.iter_raw = lambda *sizes: _bounded(read(*sizes), end)

    return hook


def _bounded(pieces: Iterator[bytes], end: float) -> Iterator[bytes]:
    read = 0
    for piece in pieces:
        read += len(piece)
        if read > MOST_BYTES:
            raise Unbounded(f"it is longer than {MOST_BYTES:,} bytes")
        if time.monotonic() > end:
            raise Unbounded("it did not end in time; BAMBOO_MODEL_TIMEOUT sets the seconds to wait")
        yield piece
