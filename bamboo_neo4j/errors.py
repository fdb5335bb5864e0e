"""Every error that a user can meet, each with its exit code and the next step.

::

    BambooError                 1
    ├── InputError              1   a document, vocabulary or tagger could not be used
    ├── FaultsFound             1   `check` found a broken invariant
    ├── UsageError              2   a wrong argument, name or setting
    │   └── MissingExtra        2   an optional package is not installed
    ├── NothingRecalled         3   the memory has not learned what was asked
    ├── DatabaseError           4   Neo4j is unreachable, refused, too old, or holds another graph
    │   ├── ServerError         4   the managed local server could not be installed or started
    │   ├── DamagedGraph        4   a value in the graph is missing or of a wrong type; `check` names it
    │   ├── OtherWordRules      4   the memory was written with another normaliser
    │   └── OutcomeUnknown      4   the connection broke while committing; running again is safe
    ├── LimitReached            5   a limit on calls, tokens or seconds
    ├── ModelError              6   the model service failed or refused
    │   └── UnusableReply       6   the model declined, was cut off, or gave nothing usable for this input
    └── NotFound                7   no such document, tag, memory or statement
"""

from __future__ import annotations

from typing import ClassVar


class BambooError(Exception):
    """The root: one line that says what and which input, and one that says what to do next."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class InputError(BambooError):
    """A document, a vocabulary or a tagger could not be used; everything else went on."""


class FaultsFound(BambooError):
    """`check` found a broken invariant."""


class UsageError(BambooError):
    """A wrong argument, name or setting."""

    exit_code = 2


class MissingExtra(UsageError):
    """An optional package is not installed."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed",
            hint=f'install it with: pip install "bamboo-neo4j[{extra}]"',
        )


class NothingRecalled(BambooError):
    """The memory has not learned what was asked."""

    exit_code = 3


class DatabaseError(BambooError):
    """Neo4j is unreachable, refused the login, is too old, or holds another graph."""

    exit_code = 4


class ServerError(DatabaseError):
    """The managed local server could not be installed, started or reached."""


class OtherWordRules(DatabaseError):
    """The memory was written with another normaliser: the same word would not be found."""

    def __init__(self, memory: str, *, stored: str, ours: str) -> None:
        if stored.startswith("reindexing"):
            super().__init__(
                f"the memory {memory!r} is being indexed anew", hint="if nobody is at it: bamboo reindex"
            )
            return
        super().__init__(
            f"the memory {memory!r} has other word rules than this program ({stored}, ours are {ours})",
            hint="bamboo reindex makes it ours; no model is called",
        )


class DamagedGraph(DatabaseError):
    """A value in the graph is missing or of a wrong type; `what` tells where a statement met it."""

    def __init__(self, memory: str, what: str) -> None:
        named = f"the memory {memory!r}" if memory else "the graph"
        super().__init__(
            f"{named} is damaged: a value is missing or of a wrong type ({what})",
            hint="bamboo check names it, bamboo check --repair mends it",
        )


class OutcomeUnknown(DatabaseError):
    """The connection broke while committing: the write may or may not be there; running again is safe."""


class LimitReached(BambooError):
    """A limit on calls, tokens or seconds was reached."""

    exit_code = 5


class ModelError(BambooError):
    """The model service failed, refused or gave nothing usable."""

    exit_code = 6


class UnusableReply(ModelError):
    """The service works, but its reply to this one input is no answer; other inputs may go on.

    `reason` is one of refused, filtered, cut, empty, invalid, too long; `text` is what the model wrote.
    """

    def __init__(self, message: str, *, reason: str, text: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.text = text


class NotFound(BambooError):
    """No such document, tag, memory or statement."""

    exit_code = 7
