"""Open a client for the settings: a server of the user's, or the managed local one, started if need be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.graph.client import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from bamboo_neo4j.graph.client import GraphClient
    from bamboo_neo4j.settings import Settings

    Starting = Callable[[str, int, int], None]
    """Told how the start of a managed server goes: a step, bytes done and bytes in all."""


def open_client(
    settings: Settings,
    *,
    uri: str | None = None,
    auth: object | None = None,
    database: str | None = None,
    starting: Starting | None = None,
) -> GraphClient:
    """Connect to `uri`, else to the one of `settings`, else to the managed server; raises DatabaseError."""
    uri = uri or settings["uri"]
    username, password = settings["username"], settings["password"]
    if not uri:
        from bamboo_neo4j.graph.server import LocalServer

        local = LocalServer(settings, progress=starting) if starting else LocalServer(settings)
        running = local.start()
        uri, username, password = running.uri, running.username, running.password
    return connect(
        uri,
        username=username,
        password=password,
        auth=auth,
        database=database or settings["database"],
        patience=settings.number("retry_seconds"),
    )
