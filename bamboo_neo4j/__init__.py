"""An associative long-term memory kept in Neo4j.

The whole of it in four lines::

    from bamboo_neo4j import Memory

    with Memory.open() as memory:
        memory.remember("Ada Kern performed the album Green.")
        memory.recall("Who performed Green?").chunks[0].text
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamboo_neo4j.errors import BambooError
    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.records import Association, Cue, Recall, RecalledChunk, Remembered, Via

__version__ = "0.1.0"
__all__ = ["Association", "BambooError", "Cue", "Memory", "Recall", "RecalledChunk", "Remembered", "Via"]

_HOMES = {"Memory": "memory", "BambooError": "errors"}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: `import bamboo_neo4j` itself loads nothing."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'records')}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
