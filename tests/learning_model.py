"""Learning once more, in plain Python: what the graph must be after any mixture of writing and maintaining.

It knows no batches, no sweeps and no lock: a strength is computed from the last use whenever it is asked for.
Written from the rules of docs/learning.md, not from the statements under cypher/learn/.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bamboo_neo4j.records import UsedEdge

Pair = tuple[str, str]


@dataclass
class State:
    """What was learned on an edge: its strength after the last use, when that was, and how often."""

    used: float
    cycle: int
    activations: int
    emergent: bool = False


def looped(strength: float, idle: int, floor: float) -> float:
    """A strength after idle cycles, step by step: cycle i takes λ(1 − exp(−i/τ)), λ = 0.05, τ = 5."""
    for cycle in range(1, idle + 1):
        strength -= 0.05 * (1 - exp(-cycle / 5))
    return max(strength, floor)


@dataclass
class LearningModel:
    """One memory: its documents (tags of each chunk), facts, and what was learned."""

    chunks: dict[str, list[list[str]]] = field(default_factory=dict)
    facts: dict[str, tuple[str, str]] = field(default_factory=dict)
    stated: dict[str, State] = field(default_factory=dict)
    edges: dict[Pair, State] = field(default_factory=dict)
    joints: dict[Pair, int] = field(default_factory=dict)
    cycle: int = 0

    @property
    def weights(self) -> Counter[Pair]:
        """The number of chunks that hold each pair."""
        counted: Counter[Pair] = Counter()
        for document in self.chunks.values():
            for tags in document:
                counted.update(combinations(sorted(set(tags)), 2))
        return counted

    def write(self, document: str, chunks: list[list[str]]) -> None:
        """Give a document other chunks; none forgets it."""
        before = self.weights
        self.chunks[document] = chunks
        after = self.weights
        for pair in before.keys() - after.keys():
            state = self.edges.get(pair)
            if state and not (state.emergent and self._strength(state, 0.1) > 0.1):
                del self.edges[pair]
        for pair in after.keys() - before.keys():
            self.joints.pop(pair, None)
            state = self.edges.get(pair)
            if state and self._strength(state, 0.1) <= 0.1:
                del self.edges[pair]

    def learn(self, edges: Sequence[UsedEdge]) -> None:
        """Learn from one episode."""
        weights = self.weights
        for edge in edges:
            if edge.fact is not None:
                fact = self.stated[edge.fact]
                self._strengthen(fact, edge.share, min(0.1, fact.used))
                continue
            pair = (min(edge.source, edge.target), max(edge.source, edge.target))
            state = self.edges.get(pair)
            if pair in weights and not (edge.together and not (state and state.emergent)):
                state = self.edges.setdefault(pair, State(0.5, 0, 0))
                self._strengthen(state, edge.share, 0.5)
            elif pair not in weights:
                self._use_together(pair, edge.share)
        self.cycle += 1

    def _use_together(self, pair: Pair, share: float) -> None:
        state = self.edges.get(pair)
        if state and self._strength(state, 0.1) > 0.1:
            self._strengthen(state, share, 0.1)
            return
        if pair in {(min(ends), max(ends)) for ends in self.facts.values()}:
            return
        self.edges.pop(pair, None)
        self.joints[pair] = self.joints.get(pair, 0) + 1
        if self.joints[pair] == 3:
            del self.joints[pair]
            self.edges[pair] = State(0.3, self.cycle + 1, 3, emergent=True)

    def _strength(self, state: State, floor: float) -> float:
        return looped(state.used, self.cycle - state.cycle, floor)

    def _strengthen(self, state: State, share: float, floor: float) -> None:
        now = self._strength(state, floor)
        state.used = min(1.0, now + 0.1 * share * (1 - now))
        state.cycle, state.activations = self.cycle + 1, state.activations + 1

    def graph(self) -> dict[tuple[str, ...], tuple[float | int | bool | None, ...]]:
        """All that the graph must say once it is maintained: edges, facts and joint uses."""
        weights = self.weights
        rows: dict[tuple[str, ...], tuple[float | int | bool | None, ...]] = {}
        for pair in {*weights, *self.edges}:
            weight, state = weights[pair], self.edges.get(pair)
            if state is None:
                rows["CO_OCCURS", *pair] = (weight, weight, None, None, None, None, None)
                continue
            strength = self._strength(state, 0.5 if weight else 0.1)
            if weight or strength > 0.1:
                rank = max(weight, 1) * strength / 0.5
                last = (state.used, state.cycle, state.activations, state.emergent or None)
                rows["CO_OCCURS", *pair] = (weight, rank, strength, *last)
        for fact, state in self.stated.items():
            strength = self._strength(state, min(0.1, state.used))
            rows["FACT", fact] = (strength, state.used, state.cycle, state.activations)
        rows |= {("CO_ACTIVATED", *pair): (count,) for pair, count in self.joints.items()}
        return rows


def names(pairs: Iterable[Pair]) -> list[str]:
    """The tags of some pairs, each once, sorted."""
    return sorted({name for pair in pairs for name in pair})
