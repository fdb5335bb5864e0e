"""The questions that were asked of a memory and stored, with their mind maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.memory.opened import Opened
from bamboo_neo4j.reason.storing import list_maps, read_map, remove_maps, store_map

if TYPE_CHECKING:
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.storing import StoredQuestion


class Questions(Opened):
    """What keeps questions and reads them again."""

    def questions(self, *, limit: int = 20) -> tuple[StoredQuestion, ...]:
        """Return the questions that were asked and stored, the latest first, `limit` at most."""
        return list_maps(self._client, self.name, limit=limit)

    def question_map(self, question: str) -> Asked:
        """Return what was stored of one question: its answer, mind map, verdicts, chunks and cost.

        `question` is an id that `questions` gives, or a unique beginning of it. Evidence from a chunk is the
        chunk's whole text; what a document said goes when it is forgotten. Raises NotFound.
        """
        return read_map(self._client, self.name, question)

    def store_question(self, asked: Asked) -> None:
        """Store what was asked with its mind map; storing it again changes nothing."""
        store_map(self._client, asked)

    def remove_questions(self, *questions: str) -> int:
        """Remove stored questions with their mind maps; return how many there were.

        `questions` are ids as for `question_map`. What was learned from them stays: `undo` takes it back.
        Raises NotFound, before anything is removed.
        """
        return remove_maps(self._client, self.name, questions)
