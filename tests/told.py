"""A memory in a few lines of Python for tests of reasoning: facts and chunks by hand, no server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Cue, Fact, Recall, RecalledChunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORDS = normaliser("en")


def fact(text: str, *, strength: float = 1.0, name: str = "", predicate: str = "") -> Fact:
    """A fact from `subject | predicate | object`; its id is the text, or `name`."""
    subject, said, target = (part.strip() for part in text.split(" | "))
    return Fact(
        id=name or text,
        subject=WORDS.name(subject),
        predicate=predicate or said,
        object=WORDS.name(target),
        confidence=strength,
        strength=strength,
        subject_text=subject,
        object_text=target,
    )


def chunk(text: str, *, name: str = "c1") -> RecalledChunk:
    return RecalledChunk(name, document="d", title="", ordinal=0, text=text, tokens=10, score=1.0)


class Told:
    """Facts and chunks; what is asked for is kept in `asked`."""

    def __init__(self, *facts: Fact, chunks: Sequence[RecalledChunk] = (), cues: Sequence[str] = ()) -> None:
        self._facts = facts
        self._chunks = tuple(chunks)
        self._cues = tuple(Cue(cue, tag=cue) for cue in cues)
        self.asked: list[str | None] = []

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002
        as_of: str | None = None,
    ) -> Iterator[Fact]:
        self.asked.append(as_of)
        for each in self._facts:
            wanted = ((subject, each.subject), (predicate, each.predicate), (object, each.object))
            if all(text is None or WORDS.key(text) == WORDS.key(held) for text, held in wanted):
                yield each

    def recall(self, question: str, *, limit: int | None = None, tokens: int | None = None) -> Recall:
        if not self._chunks:
            raise NothingRecalled("the memory is empty")
        return Recall(
            question=question,
            memory="told",
            ranking="bamboo",
            cues=self._cues,
            unknown=(),
            associations=(),
            chunks=self._chunks[:limit],
            tokens=tokens or 0,
            truncated=(),
            statements=(),
            milliseconds=0.0,
        )
