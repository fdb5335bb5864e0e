"""Learning: episodes are recorded, and what they used is strengthened; recall never comes here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import OtherWordRules
from bamboo_neo4j.learn import ledger
from bamboo_neo4j.learn.maintaining import maintain
from bamboo_neo4j.memory.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.learn.maintaining import Progress, Rule
    from bamboo_neo4j.records import Episode, Maintained, ReasoningOutput, RecalledChunk, Verdict


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
