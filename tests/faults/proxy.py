"""A TCP proxy between a client and Neo4j that can break a connection around a commit.

Bolt sends COMMIT as one chunk of two bytes, so it is recognised in the stream from the client.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from types import TracebackType

COMMIT = b"\x00\x02\xb0\x12\x00\x00"
Break = Literal["before", "after"]


class Proxy:
    """Passes bytes on to `uri`; `breaks` holds how many commits are to be broken, and how.

    `before`: the connection ends before the commit reaches the server, so nothing is stored.
    `after`: it ends after the server has answered and before the client hears of it, so it is stored.
    """

    def __init__(self, uri: str) -> None:
        parts = urlsplit(uri)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 7687)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        self._waiting: list[Break] = []
        self._open: set[socket.socket] = set()
        self.broken: list[Break] = []
        self.accepted = 0
        self.refusing = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def break_next(self, how: Break) -> None:
        """Break the next commit that comes."""
        with self._lock:
            self._waiting.append(how)

    def calm(self) -> None:
        """Break no more commits."""
        with self._lock:
            self._waiting.clear()

    def cut(self) -> None:
        """End every open connection at once."""
        with self._lock:
            connections, self._open = self._open, set()
        for connection in connections:
            _end(connection)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.accepted += 1
                if self.refusing:
                    _end(client)
                    continue
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(self._target)
        except OSError:
            _end(client)
            return
        with self._lock:
            self._open |= {client, server}
        mute = threading.Event()
        back = threading.Thread(target=self._pass_back, args=(server, client, mute), daemon=True)
        back.start()
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                how = self._break_of(data)
                if how == "before":
                    break
                if how == "after":
                    mute.set()
                    server.sendall(data)
                    back.join(timeout=30)
                    break
                server.sendall(data)
        for connection in (client, server):
            _end(connection)
        with self._lock:
            self._open -= {client, server}

    def _pass_back(self, server: socket.socket, client: socket.socket, mute: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if mute.is_set():
                    return  # the server has answered: the commit is done, and nobody hears of it
                client.sendall(data)
        _end(client)

    def _break_of(self, data: bytes) -> Break | None:
        if COMMIT not in data:
            return None
        with self._lock:
            if not self._waiting:
                return None
            how = self._waiting.pop(0)
            self.broken.append(how)
            return how


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        connection.close()
