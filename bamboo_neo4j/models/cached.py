"""Answers kept on disk by content: the same request to the same model is not paid for twice.

The file holds requests as digests and replies as they were written, in clear; it lies in the user's cache
folder and is readable by the user alone. Only usable replies are kept.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import UnusableReply, UsageError
from bamboo_neo4j.files import private_folder
from bamboo_neo4j.models.chat import Meter, Reply, Usage
from bamboo_neo4j.models.structured import read_reply

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from bamboo_neo4j.models.chat import ChatModel, Message

MOST_KEPT = 20_000
"""Replies in the file; the oldest go."""

_MAKE = (
    "CREATE TABLE IF NOT EXISTS reply (request TEXT PRIMARY KEY, text TEXT NOT NULL, finish TEXT NOT NULL)"
)
_FIND = "SELECT text, finish FROM reply WHERE request = ?"
_KEEP = "INSERT OR REPLACE INTO reply (request, text, finish) VALUES (?, ?, ?)"
_TRIM = "DELETE FROM reply WHERE rowid <= (SELECT max(rowid) FROM reply) - ?"


class Answers:
    """The file of answers; threads and processes may share it.

    Raises UsageError where it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            private_folder(path.parent)
            path.touch(mode=0o600)
            self._file = sqlite3.connect(path, timeout=10.0, check_same_thread=False, isolation_level=None)
            self._file.execute(_MAKE)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                f"the answers in {str(path)!r} cannot be opened: {error}",
                hint="delete that file, or leave --cache out",
            ) from None

    def find(self, request: str) -> tuple[str, str] | None:
        """Return the text and ending of the reply to `request`, a digest, or None."""
        with self._lock, suppress(sqlite3.Error):
            row = self._file.execute(_FIND, (request,)).fetchone()
            return (str(row[0]), str(row[1])) if row else None
        return None

    def keep(self, request: str, reply: Reply) -> None:
        """Keep a reply; a full disk or a locked file is no reason to lose the answer itself."""
        with self._lock, suppress(sqlite3.Error, UnicodeError):
            self._file.execute(_KEEP, (request, reply.text, reply.finish_reason))
            self._file.execute(_TRIM, (MOST_KEPT,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


class CachedChat:
    """A `ChatModel` that looks into the kept answers first; `hits` counts those found there.

    `service` sets apart models of one name on several servers. A kept reply costs nothing: its usage is zero.
    """

    def __init__(self, model: ChatModel, answers: Answers, *, service: str = "") -> None:
        self._model = model
        self._answers = answers
        self._service = service
        self._hits = Meter()
        self.name = model.name

    @property
    def usage(self) -> Usage:
        """What the calls that were made have cost."""
        return self._model.usage

    @property
    def hits(self) -> int:
        """Replies that came from the file."""
        return self._hits.total.calls

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the reply to `messages`; see `ChatModel.complete`."""
        request = self._digest(messages, schema, max_tokens)
        kept = self._read(request, schema)
        if kept is not None:
            self._hits.add(Usage(1))
            return kept
        reply = self._model.complete(messages, schema=schema, max_tokens=max_tokens)
        self._answers.keep(request, reply)
        return reply

    def _read(self, request: str, schema: type[BaseModel] | None) -> Reply | None:
        found = self._answers.find(request)
        if found is None:
            return None
        text, finish = found
        with suppress(UnusableReply):
            parsed = None if schema is None else read_reply(text, schema, model=self.name)
            return Reply(text, parsed, finish, Usage())
        return None

    def _digest(self, messages: Sequence[Message], schema: type[BaseModel] | None, max_tokens: int) -> str:
        """Return a digest over everything that decides a reply."""
        turns = [[turn.role, turn.content] for turn in messages]
        shape = None if schema is None else schema.model_json_schema()
        request = json.dumps([self._service, self.name, turns, shape, max_tokens], sort_keys=True)
        return hashlib.sha256(request.encode()).hexdigest()
