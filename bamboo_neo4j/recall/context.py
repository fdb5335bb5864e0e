"""Context: the best chunks that fit under a limit and a budget of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

NAMED = 3
"""Chunks that were cut and are named; of the rest only the number is said."""


class Sized(Protocol):
    """What can be packed: a chunk, by its id and the tokens of its text."""

    @property
    def id(self) -> str:
        """The chunk's id."""

    @property
    def tokens(self) -> int:
        """Tokens of its text."""


S = TypeVar("S", bound=Sized)


class Packed(NamedTuple):
    """What was chosen, in order, and a sentence about each way in which something was cut."""

    places: tuple[int, ...]
    tokens: int
    cut: tuple[str, ...]


def pack(chunks: Iterable[S], *, limit: int, tokens: int | None = None) -> Packed:
    """Choose at most `limit` chunks in order, skipping one that does not fit into `tokens` and going on.

    Going on answers more questions than stopping at the first that is too long (docs/recall.md).
    `places` are positions in `chunks`. A chunk counts as cut by the tokens if it would have been chosen with
    more of them; every other that is left out lies beyond the limit.
    """
    places: list[int] = []
    left_out: list[S] = []
    used = beyond = 0
    for place, chunk in enumerate(chunks):
        if len(places) < limit and (tokens is None or used + chunk.tokens <= tokens):
            places.append(place)
            used += chunk.tokens
        elif len(places) < limit and place < limit:
            left_out.append(chunk)
        else:
            beyond += 1
    return Packed(tuple(places), used, (*_too_long(left_out, tokens), *_beyond(beyond, limit)))


def _beyond(chunks: int, limit: int) -> tuple[str, ...]:
    if not chunks:
        return ()
    many = "chunks that were found lie" if chunks > 1 else "chunk that was found lies"
    return (f"{chunks} more {many} beyond the limit of {limit}",)


def _too_long(left_out: list[S], tokens: int | None) -> tuple[str, ...]:
    if not left_out:
        return ()
    named = ", ".join(f"{chunk.id} ({chunk.tokens})" for chunk in left_out[:NAMED])
    more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
    many = "chunks do" if len(left_out) > 1 else "chunk does"
    return (f"{len(left_out)} {many} not fit into the {tokens} tokens: {named}{more}",)
