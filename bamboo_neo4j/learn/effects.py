"""What undoing an episode does to each edge it used: pure rules over states before, after and now.

An edge is restored when it is as the episode left it; when it is not, something touched it later, and it
stays. Where an earlier episode was undone but had to leave an edge because this one had used it since, that
one's effect is taken back with this one's: undoing several episodes gives the same graph whatever the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.records import EdgeState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bamboo_neo4j.records import UsedEdge

NEVER = EdgeState()
Key = tuple[int, int] | str
"""An edge: the ids of its tags, the smaller first, or the id of a fact."""


@dataclass(frozen=True, slots=True)
class KeptEdge:
    """An edge that undoing an episode left as it is: something touched it later; `reason` says what."""

    source: str
    target: str
    fact: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing an episode did: `restored` are edges from how they were found to how they are now.

    `learned` says whether the episode had changed anything at all; `kept` are the edges it left as they are.
    """

    id: str
    learned: bool
    restored: tuple[UsedEdge, ...] = ()
    kept: tuple[KeptEdge, ...] = ()


class Held(NamedTuple):
    """What is learned on an edge, and how many episodes used its tags together (None: an edge is there)."""

    state: EdgeState = NEVER
    joint: int | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What one episode did to one edge."""

    episode: str
    cycle: int
    before: Held
    after: Held


@dataclass(frozen=True, slots=True)
class Now:
    """How an edge is now: `weight` None where there is none; a fact counts as an edge with evidence.

    `joint` and `pending` are the count and the state that stand on CO_ACTIVATED, where that is.
    """

    weight: int | None = None
    emergent: bool = False
    state: EdgeState = NEVER
    joint: int | None = None
    pending: EdgeState = NEVER


def origin(effect: Effect, undone: Iterable[Effect]) -> Held:
    """Return what an edge goes back to: before `effect`, and before undone episodes that had left it so."""
    target = effect.before
    for earlier in sorted(undone, key=lambda each: -each.cycle):
        if earlier.cycle < effect.cycle and _same(earlier.after, target):
            target = earlier.before
    return target


def is_as_left(effect: Effect, now: Now) -> bool:
    """Whether an edge is as the episode left it, so that nothing touched it later."""
    after = effect.after
    if after.joint is not None and now.joint is not None and Held(now.pending, now.joint) == after:
        return True
    if after.joint is not None and after.state == NEVER:
        return False
    # what stood on the joint uses is carried on by the edge that has grown since
    return now.weight is not None and now.state == after.state


def _same(after: Held, before: Held) -> bool:
    """Whether one episode left an edge as another found it; its cycle makes a state unlike all others."""
    return after.state == before.state and (after.joint == before.joint or after.state != NEVER)


def did_nothing(effect: Effect) -> bool:
    """Whether the episode left an edge out: it was not there, or its numbers were damaged."""
    return effect.before == effect.after


def later(key: Key, effect: Effect, effects: Mapping[Key, Iterable[Effect]]) -> Effect | None:
    """Return the next episode that used an edge after this one, if there is one."""
    following = [each for each in effects.get(key, ()) if each.cycle > effect.cycle]
    return min(following, key=lambda each: each.cycle, default=None)
