"""The command line: one thin module a command group; parse, call Memory, print."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

__all__ = ["main"]

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> NoReturn:
    """Run `bamboo`: Ctrl-C ends it in one line from its first moment on, and in its last one too."""
    handler = signal.signal(signal.SIGINT, _leave) if _is_default() else None
    from bamboo_neo4j.cli.app import main as run

    if handler is not None:
        signal.signal(signal.SIGINT, handler)
    try:
        run()
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, _leave)


def _is_default() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt, which would print a traceback while modules are imported."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _leave(*_: object) -> NoReturn:
    os.write(2, b"bamboo: interrupted\n")
    os._exit(INTERRUPTED)
