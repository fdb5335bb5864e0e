"""Forgetting a memory whole, in bounded transactions; killed half-way it is finished by the next call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamboo_neo4j.graph.client import GraphClient

EDGES = 10_000
NODES = 5_000


def wipe(client: GraphClient, memory: str) -> bool:
    """Delete everything of `memory`; return whether there was such a memory."""
    rows = client.write(lambda transaction: transaction.run("memorise/mark_wiping", {"memory": memory}))
    if not rows:
        return False
    for name, limit in (("memorise/wipe_edges", EDGES), ("memorise/wipe_nodes", NODES)):
        parameters: dict[str, object] = {"memory": memory, "limit": limit}
        while _deleted(client, name, parameters):
            pass
    _deleted(client, "memorise/wipe_memory", {"memory": memory})
    return True


def _deleted(client: GraphClient, name: str, parameters: dict[str, object]) -> int:
    return int(client.write(lambda transaction: transaction.run(name, parameters))[0]["deleted"])
