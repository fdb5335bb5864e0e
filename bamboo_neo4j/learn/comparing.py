"""What changed between two cycles, edge by edge, computed from the ledger alone; pure.

A strength at a cycle follows from what the last episode up to there left: s(n) = max(floor, s − D(n)), n the
cycles since. Episodes that were undone are left out, and edges of tags that were forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j.learn.plasticity import EVIDENCE, FADED, fact_floor, strength_at
from bamboo_neo4j.records import EdgeState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bamboo_neo4j.records import Episode, UsedEdge

LEAST = 1e-12
"""Differences below this are those of arithmetic."""
GONE = "(forgotten)"
"""The name of a tag that an episode used and that is no longer in the memory."""


@dataclass(frozen=True, slots=True)
class ChangedEdge:
    """How an edge stood at two cycles: strengths as of each, None where it was not there yet.

    `fact` is the id of a fact, None for CO_OCCURS; `uses` are the episodes between the two that used it.
    """

    source: str
    target: str
    fact: str | None
    before: float | None
    after: float | None
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """What changed between the cycles `since` and `until`: edge by edge, those that changed most first."""

    since: int
    until: int
    episodes: tuple[str, ...]
    edges: tuple[ChangedEdge, ...]


class _Use(NamedTuple):
    """One use of an edge: the cycle that the episode began, its id, and what it did."""

    cycle: int
    episode: str
    edge: UsedEdge


def compare(episodes: Iterable[Episode], *, since: int, until: int, evidence: float = EVIDENCE) -> Compared:
    """Compare the strengths of all edges of the ledger at the cycles `since` and `until`, since ≤ until.

    `evidence` is the floor of edges with a chunk behind them (0.5, or 0.1 by the paper's rule).
    """
    uses: dict[tuple[str, str, str], list[_Use]] = defaultdict(list)
    between = []
    for episode in episodes:
        if episode.status != "learned" or episode.cycle is None or episode.cycle > until:
            continue
        if episode.cycle > since:
            between.append((episode.cycle, episode.id))
        for edge in episode.edges:
            if GONE not in {edge.source, edge.target} and _did_something(edge):
                uses[edge.fact or "", edge.source, edge.target].append(_Use(episode.cycle, episode.id, edge))
    edges = [_changed(history, since, until, evidence=evidence) for history in uses.values()]
    changed = [edge for edge in edges if _differs(edge)]
    changed.sort(
        key=lambda edge: (-abs((edge.after or 0.0) - (edge.before or 0.0)), edge.source, edge.target)
    )
    return Compared(since, until, tuple(name for _, name in sorted(between)), tuple(changed))


def _did_something(edge: UsedEdge) -> bool:
    return edge.after is not None and (edge.before, edge.joint_before) != (edge.after, edge.joint_after)


def _changed(history: list[_Use], since: int, until: int, *, evidence: float) -> ChangedEdge:
    history.sort(key=lambda use: use.cycle)
    edge = history[-1].edge
    floor = FADED if any(use.edge.joint_before is not None for use in history) else evidence
    return ChangedEdge(
        edge.source,
        edge.target,
        edge.fact,
        before=_strength(history, since, floor=floor),
        after=_strength(history, until, floor=floor),
        uses=tuple(use.episode for use in history if use.cycle > since),
    )


def _strength(history: list[_Use], cycle: int, *, floor: float) -> float | None:
    """Return the strength of an edge at a cycle; None where there was none yet, or it had faded."""
    past = [use for use in history if use.cycle <= cycle]
    found = past[-1].edge if past else history[0].edge
    state, joint = (found.after, found.joint_after) if past else (found.before, found.joint_before)
    state = state or EdgeState()
    strength = strength_at(cycle, state, floor=fact_floor(state.strength) if found.fact else floor)
    faded = state.strength is None or strength <= FADED
    return None if joint is not None and faded else strength


def _differs(edge: ChangedEdge) -> bool:
    if edge.before is None or edge.after is None:
        return edge.before is not edge.after
    return abs(edge.before - edge.after) > LEAST
