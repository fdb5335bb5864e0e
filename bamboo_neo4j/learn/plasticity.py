"""How strengths change: pure formulas, with their constants and where each comes from.

A strength is a number in [0, 1]; time is counted in cycles, one a validated episode. What is stored is the
strength after the last use and the cycle of that use; every strength since follows from these two, so it does
not matter how often anybody looks. `cypher/learn/` computes the same.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamboo_neo4j.records import EdgeState

START = 0.5
"""Strength of a CO_OCCURS edge that was never used."""
ETA = 0.1
"""Learning rate η of Kairos' strengthening rule, s + η·p·(1 − s)."""
LAMBDA = 0.05
"""Decay rate λ of Kairos' decay rule: cycle i without use takes λ(1 − exp(−i/τ))."""
TAU = 5.0
"""Time constant τ of the same rule, in cycles."""
FADED = 0.1
"""Floor of facts and of emergent edges without evidence (Kairos); an emergent edge there counts as gone."""
EVIDENCE = 0.5
"""Floor of edges with evidence, where use is never to cost: our own, see `--decay all` for Kairos' 0.1."""
JOINT_USES = 3
"""Validated episodes that use two tags together before an edge grows between them (Kairos)."""
WHOLE = 10
"""Joint uses for a strength of 1: an emergent edge gets a tenth for each, at most START (Kairos)."""

X = exp(-1 / TAU)


def decay(idle: int) -> float:
    """Return what `idle` cycles without use take from a strength, 0 for none or fewer.

    The closed form of Σ λ(1 − exp(−i/τ)), i = 1 … idle: λ(n − x(1 − xⁿ)/(1 − x)) with x = exp(−1/τ).
    """
    if idle <= 0:
        return 0.0
    return LAMBDA * (idle - X * (1 - X**idle) / (1 - X))


def current(strength: float, idle: int, floor: float) -> float:
    """Return a strength `idle` cycles after its last use: max(floor, s − decay)."""
    return max(floor, strength - decay(idle))


def strength_at(cycle: int, state: EdgeState, *, floor: float) -> float:
    """Return the strength of an edge in `cycle`, decayed since its last use, or from `START` on."""
    if state.strength is None:
        return current(START, cycle, floor)
    idle = cycle - (state.used_cycle or 0)
    return current(state.strength, idle, floor) if idle > 0 else state.strength


def strengthened(strength: float, share: float = 1.0) -> float:
    """Return a strength after one validated use of the share p in (0, 1]: min(1, s + η·p·(1 − s))."""
    return min(1.0, strength + ETA * share * (1 - strength))


def emerged(count: int) -> float:
    """Return the strength of an edge that grew from `count` joint uses: min(0.5, 0.1·count)."""
    return min(START, count / WHOLE)


def floor_of(weight: int | None, *, evidence: float = EVIDENCE) -> float:
    """Return the floor of an edge: `evidence` where a chunk is behind it; see `fact_floor`."""
    return evidence if weight else FADED


def fact_floor(strength: float | None) -> float:
    """Return the floor of a fact by its strength after the last use: idleness never strengthens."""
    return FADED if strength is None else min(FADED, strength)


def rank(weight: int, strength: float) -> float:
    """Return what associations sort by: max(weight, 1) × strength / 0.5."""
    return max(weight, 1) * strength / START
