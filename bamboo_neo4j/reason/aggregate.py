"""The aggregator: several modules' conclusions as one output, and where they contradict each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from bamboo_neo4j.records import Disagreement, ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bamboo_neo4j.records import Fact

LEANING = 0.1
"""A stance nearer to 0 takes no side."""


def join(outputs: Sequence[ReasoningOutput]) -> ReasoningOutput:
    """Return the conclusions of modules as one: each said by its module, with all that any of them used.

    A joint conclusion is no surer than its least sure part, so confidence is the least; a stance is joined
    only where no two stances are opposed. One output alone is returned as it is.
    """
    if len(outputs) == 1:
        return outputs[0]
    sides = [output.stance for output in outputs if output.stance is not None]
    opposed = any(stance > LEANING for stance in sides) and any(stance < -LEANING for stance in sides)
    return ReasoningOutput(
        module="+".join(output.module for output in outputs),
        conclusion="; ".join(f"{output.module}: {output.conclusion}" for output in outputs),
        confidence=min(output.confidence for output in outputs),
        path=tuple(f"{output.module}: {step}" for output in outputs for step in output.path),
        facts=tuple(dict.fromkeys(fact for output in outputs for fact in output.facts)),
        pairs=tuple(dict.fromkeys(pair for output in outputs for pair in output.pairs)),
        chunks=tuple(dict.fromkeys(chunk for output in outputs for chunk in output.chunks)),
        metrics=tuple(
            (f"{output.module}: {name}", value) for output in outputs for name, value in output.metrics
        ),
        stance=sum(sides) / len(sides) if sides and not opposed else None,
    )


def disagreements(
    outputs: Sequence[ReasoningOutput], facts: Mapping[str, Fact], *, exclude: Callable[[Fact, Fact], bool]
) -> tuple[Disagreement, ...]:
    """Return what modules contradict each other in: the sides they take, and facts that exclude each other.

    `facts` are those used, by id; `exclude` tells whether two facts cannot both hold.
    """
    return (*_stances(outputs), *_facts(outputs, facts, exclude))


def _stances(outputs: Sequence[ReasoningOutput]) -> tuple[Disagreement, ...]:
    taken = [(output, output.stance) for output in outputs if output.stance is not None]
    if not (any(side > LEANING for _, side in taken) and any(side < -LEANING for _, side in taken)):
        return ()
    sides = tuple(
        (output.module, f"{'for' if side > 0 else 'against'} ({side:+.2f}): {output.conclusion}")
        for output, side in taken
        if abs(side) > LEANING
    )
    return (Disagreement("whether it speaks for or against what is asked about", sides),)


def _facts(
    outputs: Sequence[ReasoningOutput], facts: Mapping[str, Fact], exclude: Callable[[Fact, Fact], bool]
) -> tuple[Disagreement, ...]:
    used = [(output.module, facts[fact]) for output in outputs for fact in output.facts if fact in facts]
    found: dict[str, Disagreement] = {}
    for (one, first), (other, second) in combinations(used, 2):
        if one != other and exclude(first, second):
            about = f"{first.subject} {first.predicate}"
            found[about] = Disagreement(about, ((one, first.stated), (other, second.stated)))
    return tuple(found.values())
