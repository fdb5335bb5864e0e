"""The address of Neo4j Browser for a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from bamboo_neo4j.errors import ServerError

if TYPE_CHECKING:
    from bamboo_neo4j.settings import Settings

HTTP_PORT = 7474


@dataclass(frozen=True, slots=True)
class BrowserAddress:
    """Where to open Neo4j Browser; `password_needed` says that it asks for a password."""

    url: str
    username: str
    password_needed: bool
    managed: bool


def address(settings: Settings) -> BrowserAddress:
    """Return the address for the server of `settings`; raises ServerError if the managed one does not run.

    For a server of the user's own the Browser is looked for on its host at port 7474, where Neo4j has it.
    """
    uri, username = settings["uri"], settings["username"]
    if uri:
        parts = urlsplit(uri)
        host = parts.hostname or "localhost"
        shown = f"{parts.scheme}://{host}:{parts.port or 7687}"
        page = f"http://{host}:{HTTP_PORT}"
        return _filled(page, shown, username=username, auth=bool(settings["password"]), managed=False)
    return _managed(settings)


def _managed(settings: Settings) -> BrowserAddress:
    from bamboo_neo4j.graph.server import LocalServer

    running = LocalServer(settings).running()
    if running is None:
        raise ServerError("the managed server is not running", hint="start it: bamboo server start")
    if not running.http:
        raise ServerError("the managed server runs without HTTP", hint="bamboo server stop, then start")
    page = running.http.rstrip("/")
    return _filled(page, running.uri, username=running.username, auth=bool(running.password), managed=True)


def _filled(page: str, uri: str, *, username: str, auth: bool, managed: bool) -> BrowserAddress:
    # the Browser takes the user from the address and never the password
    scheme, _, rest = uri.partition("://")
    target = f"{scheme}://{quote(username, safe='')}@{rest}" if auth else uri
    method = "NATIVE" if auth else "NO_AUTH"
    url = f"{page}/browser/?dbms={target}&preselectAuthMethod={method}"
    return BrowserAddress(url, username, password_needed=auth, managed=managed)
