"""Claims: the facts and pairs that a conclusion stands on, looked up in the graph."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import ReasoningOutput, UsedPair


class Reader(Protocol):
    """Runs the statement `name` of `cypher/` with read access and returns its rows."""

    def __call__(self, name: str, parameters: Mapping[str, object], /) -> list[dict[str, Any]]:
        """Return one mapping a row, from column to value."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims that the graph does not hold, each with the reason in words."""

    unverified_facts: Mapping[str, str] = field(default_factory=dict)
    unverified_pairs: Mapping[UsedPair, str] = field(default_factory=dict)

    def held(self, output: ReasoningOutput) -> ReasoningOutput:
        """Return an output with those of its claims only that the graph holds."""
        return replace(
            output,
            facts=tuple(fact for fact in output.facts if fact not in self.unverified_facts),
            pairs=tuple(pair for pair in output.pairs if pair not in self.unverified_pairs),
        )


@dataclass(frozen=True, slots=True)
class GraphChecker:
    """Looks claims up in one memory; `as_of` is a time in UTC, None for facts valid at any time."""

    read: Reader
    memory: str
    words: Normaliser
    as_of: object = None

    def __call__(self, facts: Sequence[str], pairs: Sequence[UsedPair]) -> Checked:
        """Return which of the claims the graph does not hold, in one round trip."""
        rows = self.read(
            "inspect/verify_claims",
            {
                "memory": self.memory,
                "facts": list(facts),
                "pairs": [[pair.chunk, *self._tag(pair.source), *self._tag(pair.target)] for pair in pairs],
                "asOf": self.as_of,
            },
        )
        valid = dict(rows[0]["facts"])
        held = {number: (source, target) for number, source, target in rows[0]["pairs"]}
        found = {fact: _why(valid.get(fact)) for fact in facts}
        joined = {pair: self._why_not(pair, held.get(i)) for i, pair in enumerate(pairs)}
        return Checked(
            unverified_facts={fact: reason for fact, reason in found.items() if reason},
            unverified_pairs={pair: reason for pair, reason in joined.items() if reason},
        )

    def _tag(self, name: str) -> tuple[str, str]:
        return self.words.key(name), self.words.name(name)

    def _why_not(self, pair: UsedPair, held: tuple[bool, bool] | None) -> str:
        """Return why a pair is not verified, "" where it is."""
        if self.words.key(pair.source) == self.words.key(pair.target):
            return "both are one tag"
        if held is None:
            return f"there is no chunk {pair.chunk[:80]!r}"
        missing = [tag for tag, there in zip((pair.source, pair.target), held, strict=True) if not there]
        return f"the chunk does not hold {missing[0]!r}" if missing else ""


def _why(valid: bool | None) -> str:  # noqa: FBT001 - None is the third answer
    """Return why a fact is not verified, "" where it is."""
    if valid is None:
        return "is not in the memory"
    return "" if valid else "was not valid at the time asked"
