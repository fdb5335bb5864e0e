"""Learning: episodes are recorded, and what they used is strengthened; recall never comes here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import OtherWordRules
from bamboo_neo4j.learn import ledger
from bamboo_neo4j.learn.maintaining import maintain
from bamboo_neo4j.learn.reading import compare_cycles, read_episode, read_episodes
from bamboo_neo4j.learn.undoing import undo
from bamboo_neo4j.memory.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from bamboo_neo4j.learn.comparing import Compared
    from bamboo_neo4j.learn.effects import Undone
    from bamboo_neo4j.learn.goals import Goals
    from bamboo_neo4j.learn.maintaining import Maintained, Progress, Rule
    from bamboo_neo4j.records import (
        Episode,
        ReasoningOutput,
        RecalledChunk,
        Verdict,
    )

    GoalsGiven = Goals | Path | str | Mapping[str, object]

EARLIER = 200
"""Earlier answers that novelty is measured against, the newest."""


class Learning(Opened):
    """What a memory learns from reasoning that was validated."""

    def learn(
        self,
        question: str,
        output: ReasoningOutput,
        verdict: Verdict,
        *,
        cited: Sequence[RecalledChunk] = (),
    ) -> Episode:
        """Record an episode: what was concluded, the path that led there, and what the gate said of it.

        One that passed the gate waits for `maintain`, one that did not is kept as rejected; nothing else
        changes. `cited` are the recalled chunks that the answer rests on: their `via` edges are its path.
        Raises NotFound where there is no such memory.
        """
        entry = ledger.Entry(question, output, verdict, cited=tuple(cited))
        try:
            return ledger.record(self._client, self.name, entry=entry, words=self.normaliser)
        except OtherWordRules:  # another process has indexed the memory anew since it was opened
            self._refresh()
            return ledger.record(self._client, self.name, entry=entry, words=self.normaliser)

    def maintain(self, *, decay: Rule | None = None, progress: Progress | None = None) -> Maintained:
        """Learn from the episodes that wait, decay what was not used, grow edges and remove faded ones.

        It goes on batch by batch until nothing is left; several programs may do it at once. `decay` changes
        what decays from now on: `used`, no lower than 0.5 where there is evidence, or `all`, every edge down
        to 0.1. `progress` is told the step and the edges so far. Raises NotFound where there is no such
        memory.
        """
        return maintain(self._client, self.name, rule=decay, progress=progress)

    def episodes(self, status: str | None = None) -> Iterator[Episode]:
        """Yield the episodes, or those of one status, in the order in which they were recorded.

        `status` is validated, rejected, learned or undone; anything else raises UsageError.
        """
        return read_episodes(self._client, self.name, status=status)

    def episode(self, id: str) -> Episode:  # noqa: A002 - the word of the graph
        """Return an episode by its id, which may be cut short and leave out the memory's name.

        Raises NotFound when there is none, UsageError when several begin so.
        """
        return read_episode(self._client, self.name, id)

    def undo(self, id: str) -> Undone:  # noqa: A002 - the word of the graph
        """Undo an episode: each edge goes back to what it was, unless something touched it later.

        What was touched later is left, and named; the cycle is not turned back. Undoing several episodes ends
        in the same graph whatever the order. Raises NotFound when there is none, UsageError for one that was
        undone already or was rejected.
        """
        return undo(self._client, self.name, id)

    def compare(self, since: int, until: int) -> Compared:
        """Return what changed between two cycles, edge by edge, computed from the ledger.

        Raises UsageError unless 0 ≤ since ≤ until ≤ the memory's cycle.
        """
        return compare_cycles(self._client, self.name, since=since, until=until)

    def _earlier_answers(self) -> tuple[str, ...]:
        """Return the answers that novelty is measured against."""
        return tuple(row["answer"] for row in self._stream("inspect/answers", limit=EARLIER))


def goals_of(given: GoalsGiven | None) -> Goals | None:
    """Return goals and limits from a file or from the same in Python; raises InputError for unfit ones."""
    if given is None:
        return None
    from bamboo_neo4j.learn.goals import read_goals  # brings pydantic, which recall has no need of

    return read_goals(given)
