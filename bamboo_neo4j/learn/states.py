"""What an episode keeps of each edge before and after: three numbers an edge, in one flat list.

Neo4j stores lists of one type and without nulls, so an edge that was never used is -1, -1, -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.records import EdgeState

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 3
"""Numbers an edge: usedStrength, usedCycle, activations."""


def decode(numbers: Sequence[float]) -> tuple[EdgeState, ...]:
    """Return the states of `Episode.before` or `Episode.after`, in the order of its edges, then its facts."""
    return tuple(_state(*numbers[place : place + WIDTH]) for place in range(0, len(numbers) - 2, WIDTH))


def decode_count(count: int | None) -> int | None:
    """Return a joint count of `Episode.jointBefore` or `Episode.jointAfter`, None where there was an edge."""
    return None if count is None or count < 0 else count


def _state(strength: float, cycle: float, activations: float) -> EdgeState:
    if strength < 0:
        return EdgeState()
    return EdgeState(strength, int(cycle), int(activations))
