"""Forgetting a memory whole, in bounded transactions; killed half-way it is finished by the next call.

Each transaction takes the memory's lock and then asks whether the memory is still being forgotten. So several
programs may forget it at once, and one that is late touches nothing of a memory that was made anew since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bamboo_neo4j.graph.client import GraphClient

NODES = 1_000
EDGES = 10_000
"""Nodes and relationships deleted in one transaction."""


def wipe(client: GraphClient, memory: str) -> bool:
    """Delete everything of `memory`; return whether there was such a memory.

    From the first transaction on every writer refuses it until it is gone; readers may meet what is left.
    """
    rows = client.write(lambda transaction: transaction.run("memorise/mark_wiping", {"memory": memory}))
    if not rows:
        return False
    nodes = {"memory": memory, "limit": NODES}
    page = {"memory": memory, "tags": NODES}
    while _deleted(client, "memorise/wipe_nodes", nodes):
        pass
    while (
        _deleted(client, "memorise/wipe_edges", page | {"limit": EDGES}) == EDGES
        or _deleted(client, "memorise/wipe_tags", page) > 0
    ):
        pass
    _deleted(client, "memorise/wipe_memory", {"memory": memory})
    return True


def _deleted(client: GraphClient, name: str, parameters: Mapping[str, object]) -> int:
    """Run one batch; 0 when there is nothing left or the memory is no longer being forgotten."""
    rows = client.write(lambda transaction: transaction.run(name, parameters))
    return int(rows[0]["deleted"]) if rows else 0
