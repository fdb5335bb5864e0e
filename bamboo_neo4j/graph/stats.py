"""What a memory holds, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import GraphClient

COUNTERS = ("documents", "chunks", "terms", "tokens", "tags", "words", "edges", "facts", "cycle", "writes")


def read_stats(client: GraphClient, memory: str) -> dict[str, object]:
    """Return the counts of `memory`, zeros where it is not there yet, and its unfinished documents."""
    rows = client.read("inspect/stats", {"memory": memory})
    counts = rows[0] if rows else dict.fromkeys(COUNTERS, 0)
    return {**counts, "unfinished": client.read("inspect/unfinished", {"memory": memory})}
