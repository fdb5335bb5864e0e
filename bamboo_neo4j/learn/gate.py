"""The gate: which scores an answer must pass before anything is learned from it, and how far it is trusted.

`quality` asks for logical, grounding and alignment; trust is their mean, and novelty is reported beside it,
since the paper's ablation finds that novelty adds little but noise. `paper` asks for all four; trust is the
mean of four. A validator that failed or is missing closes the gate, and counts as 0 in the trust.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, get_args

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.records import GateName, ScoreName, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.records import Score

THRESHOLDS: dict[ScoreName, float] = {"logical": 0.7, "grounding": 0.7, "novelty": 0.5, "alignment": 0.5}
"""What a score must reach (Kairos)."""

ASKED: dict[GateName, tuple[ScoreName, ...]] = {
    "quality": ("logical", "grounding", "alignment"),
    "paper": ("logical", "grounding", "novelty", "alignment"),
}
"""The scores that each gate asks for, which trust is the mean of."""


def judge(scores: Sequence[Score], *, gate: GateName = "quality") -> Verdict:
    """Return whether an answer with these scores passes, its trust, and in words why it does not.

    Raises UsageError for a gate that there is not.
    """
    if gate not in get_args(GateName):
        raise UsageError(f"no gate is called {gate!r}", hint="use quality or paper")
    by_name = {score.name: score for score in scores}
    reasons = tuple(reason for name in ASKED[gate] if (reason := _obstacle(name, by_name.get(name))))
    values = [_value(by_name.get(name)) or 0.0 for name in ASKED[gate]]
    return Verdict(passed=not reasons, gate=gate, trust=fmean(values), scores=tuple(scores), reasons=reasons)


def _obstacle(name: ScoreName, score: Score | None) -> str:
    """Return why a score closes the gate, "" where it does not."""
    if score is None:
        return f"{name}: this validator did not run"
    value = _value(score)
    if value is None:
        return f"{name}: {score.reason}"
    if value < THRESHOLDS[name]:
        return f"{name} {value:.2f} is below {THRESHOLDS[name]:.1f}: {score.reason}"
    return ""


def _value(score: Score | None) -> float | None:
    """Return the value of a score, None where it is no number in [0, 1]."""
    if score is None or score.value is None or not math.isfinite(score.value):
        return None
    return score.value if 0 <= score.value <= 1 else None
