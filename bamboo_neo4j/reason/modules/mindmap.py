"""The mind map as a module: a question taken apart, looked up once, and answered from the leaves up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.reason.concluding import MODULE
from bamboo_neo4j.reason.memory_view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import ReasoningOutput


class MindMapReasoning:
    """The module `mindmap`: what `memory.ask` answers, with the evidence that it cites.

    It takes many calls of a model, so it runs only where it is named.
    """

    name = MODULE
    description = (
        "A mind map of sub-questions: questions of several steps, where one answer leads to the next."
    )

    def __init__(self, ask: Callable[[str], Asked]) -> None:
        self._ask = ask

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return the answer; raises NothingRecalled, with its reason, where the mind map abstains."""
        asked = self._ask(question)
        if asked.output is None:
            raise NothingRecalled(f"the mind map abstains: {asked.reason}")
        if isinstance(memory, View):
            memory.keep(asked.facts, asked.chunks)
        return asked.output
