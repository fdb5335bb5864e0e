"""A reasoning module of one's own: how well the facts about something are attested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.records import ReasoningOutput

if TYPE_CHECKING:
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import Fact


class Sources:
    """Counts the independent sources of each fact that the question names an end of."""

    name = "sources"
    description = "Sources and attestation: who states the facts, how many independent sources agree."

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return how many of the facts are stated by more than one source, and which are not."""
        asked = question.casefold()
        facts = [fact for fact in memory.facts() if _names(fact) & set(_phrases(asked))]
        if not facts:
            # says "nothing": the other modules go on, and the report says why
            raise NothingRecalled("the question names nothing that a fact is about")
        by_triple: dict[tuple[str, str, str], list[Fact]] = {}
        for fact in facts:
            by_triple.setdefault((fact.subject, fact.predicate, fact.object), []).append(fact)
        sources = {triple: {fact.source for fact in same} for triple, same in by_triple.items()}
        attested = [triple for triple, who in sources.items() if len(who) > 1]
        return ReasoningOutput(
            module=self.name,
            conclusion=f"{len(attested)} of {len(sources)} facts are stated by more than one source",
            confidence=len(attested) / len(sources),
            path=tuple(
                f"{' '.join(triple)}: {', '.join(sorted(who))}" for triple, who in sorted(sources.items())
            ),
            # exactly what the conclusion rests on: these ids are looked up in the graph
            facts=tuple(fact.id for fact in facts),
            metrics=(("facts", len(sources)), ("attested", len(attested))),
        )


def _names(fact: Fact) -> set[str]:
    return {fact.subject_text.casefold(), fact.object_text.casefold(), fact.subject, fact.object}


def _phrases(text: str) -> list[str]:
    """Return every run of up to four words of a text."""
    words = [word.strip("?!.,;:") for word in text.split()]
    return [
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + 5, len(words) + 1))
    ]
