"""Retrieval: one look-up for a whole map, and what of it fits the keys of one question.

What the memory gives is kept as candidates: facts, and chunks with their sentences and tags. A candidate fits
a key where sim(candidate, key) > epsilon (CogGRAG, 0.7); a chunk is as similar as its best sentence. A
reference that is filled later is looked up among the same candidates; only if none fits is the memory asked
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.reason.asked import Evidence
from bamboo_neo4j.reason.evidence import named
from bamboo_neo4j.reason.sentences import sentences
from bamboo_neo4j.records import UsedPair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import LocalKeys
    from bamboo_neo4j.reason.similarity import Similarity
    from bamboo_neo4j.records import Cue, Fact, Recall, RecalledChunk

EPSILON = 0.7
"""A candidate is kept where its similarity to a key is greater (CogGRAG, epsilon)."""
CHUNKS = 20
"""Chunks of one look-up."""
ENTITY = 0.5
"""Worth of naming an entity, where a triple or a pair found whole is worth 1."""

DAMPING = 5
"""Added to ranks before they are joined, so that the first is not worth twice the second."""
RECALLED = 2.0
"""Weight of recall's order: alone it shows most gold for whole questions, joined most for their parts."""


@dataclass(frozen=True, slots=True)
class Source:
    """The memory, as retrieval needs it.

    `recall` gives chunks for a text and raises NothingRecalled; `facts` those that have one of some names at
    either end; `tags` the names of the tags of chunks, by chunk id.
    """

    recall: Callable[[str], Recall]
    facts: Callable[[Sequence[str]], Iterable[Fact]]
    tags: Callable[[Sequence[str]], Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something the memory gave: a fact or a chunk, the texts it is compared by, and its place in the order.

    `label` is what models cite it by: a number for a chunk, F and a number for a fact. `pairs` are the edges
    that led to a chunk, as texts.
    """

    label: str
    place: int
    sentences: tuple[str, ...]
    chunk: RecalledChunk | None = None
    fact: Fact | None = None
    tags: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title of its document, "" for a fact."""
        return self.chunk.title if self.chunk else ""


@dataclass(frozen=True, slots=True)
class Fit:
    """A candidate that fits: its closest key, its best sentence, and how much of the keys it says."""

    candidate: Candidate
    similarity: float
    key: str
    sentence: str
    worth: float


class Pool:
    """The candidates of one question, and every look-up that brought them, counted."""

    def __init__(self, source: Source, *, similarity: Similarity, words: Normaliser) -> None:
        self._source = source
        self._similarity = similarity
        self._words = words
        self.candidates: dict[str, Candidate] = {}
        self.cues: tuple[Cue, ...] = ()
        self.unknown: tuple[str, ...] = ()
        self.truncated: tuple[str, ...] = ()
        self.nothing = ""
        self.retrievals = 0

    def look_up(self, text: str, names: Sequence[str] = ()) -> None:
        """Look a text up in the memory, and the facts about `names` and the tags that it names."""
        self.retrievals += 1
        chunks: tuple[RecalledChunk, ...] = ()
        try:
            found = self._source.recall(text)
        except NothingRecalled as nothing:
            self.nothing = nothing.message
        else:
            chunks, self.cues = found.chunks, (*self.cues, *found.cues)
            self.unknown = self.unknown or found.unknown
            self.truncated = tuple(dict.fromkeys((*self.truncated, *found.truncated)))
        self._add_chunks([chunk for chunk in chunks if chunk.id not in self.candidates])
        tags = [cue.tag for cue in self.cues if cue.tag is not None]
        self._add_facts(self._source.facts(list(dict.fromkeys([*names, *tags]))))

    def fitting(self, keys: Sequence[str], *, entities: Sequence[str] = ()) -> list[Fit]:
        """Return the candidates that fit one of `keys` or `entities`, the likeliest first.

        Two orders are joined by reciprocal ranks: that of recall, which knows the whole question and its
        links, and how much of these keys a candidate says.
        """
        found = [self._fit(one, keys, entities) for one in self.candidates.values()]
        fits = [fit for fit in found if fit is not None]
        by_place = sorted(fits, key=lambda fit: fit.candidate.place)
        by_worth = sorted(by_place, key=lambda fit: -fit.worth)
        scores = dict.fromkeys((fit.candidate.label for fit in fits), 0.0)
        for order, factor in ((by_place, RECALLED), (by_worth, 1.0)):
            for rank, fit in enumerate(order):
                scores[fit.candidate.label] += factor / (DAMPING + rank)
        return sorted(by_place, key=lambda fit: -scores[fit.candidate.label])

    def for_question(self, keys: LocalKeys) -> list[Fit]:
        """Return what fits the local keys of a question."""
        return self.fitting((*keys.triples, *keys.pairs), entities=keys.entities)

    def evidence(self, fit: Fit) -> Evidence:
        """Return a fit as the evidence of an answer; its pairs are the tags that its sentence names."""
        one = fit.candidate
        if one.fact is not None:
            return Evidence(one.label, "fact", one.fact.id, fit.sentence, round(fit.similarity, 3), fit.key)
        if one.chunk is None:
            raise AssertionError
        held = named(fit.sentence, one.tags, words=self._words)
        pairs = tuple(UsedPair(held[0], other, one.chunk.id) for other in held[1:])
        return Evidence(
            label=one.label,
            kind="pair" if pairs else "chunk",
            id=one.chunk.id,
            text=fit.sentence,
            similarity=round(fit.similarity, 3),
            key=fit.key,
            document=one.chunk.document,
            title=one.chunk.title,
            pairs=pairs,
        )

    def again(self, evidence: Evidence) -> Fit:
        """Return what was cited before as a fit, whether or not it fits another question's keys."""
        one = self.candidates[evidence.id]
        return Fit(one, evidence.similarity, evidence.key, evidence.text, 0.0)

    def _fit(self, one: Candidate, keys: Sequence[str], entities: Sequence[str]) -> Fit | None:
        best: tuple[float, str, str] = (0.0, "", "")
        worth = 0.0
        by_sentence: dict[str, float] = dict.fromkeys(one.sentences, 0.0)
        for key, factor in (*((key, 1.0) for key in keys), *((key, ENTITY) for key in entities)):
            similarity, sentence = self._closest(one, key)
            if similarity > EPSILON:
                worth += factor * similarity
                by_sentence[sentence] += factor * similarity
                if similarity > best[0]:
                    best = (similarity, key, sentence)
        if not best[1]:
            return None
        sentence = max(one.sentences, key=lambda each: by_sentence[each])
        return Fit(one, best[0], best[1], sentence, worth)

    def _closest(self, one: Candidate, key: str) -> tuple[float, str]:
        """Return the sentence closest to a key, read with the title, and how similar the chunk is to it.

        A chunk is as similar as its best sentence, or as a pair of tags that led to it.
        """
        title = f"{one.title}: " if one.title else ""
        scored = ((self._similarity(title + sentence, key), sentence) for sentence in one.sentences)
        best, sentence = max(scored, key=lambda each: each[0])
        return max([best, *(self._similarity(pair, key) for pair in one.pairs)]), sentence

    def _add_chunks(self, chunks: Sequence[RecalledChunk]) -> None:
        tags = self._source.tags([chunk.id for chunk in chunks]) if chunks else {}
        for chunk in chunks:
            label = str(1 + sum(one.chunk is not None for one in self.candidates.values()))
            self.candidates[chunk.id] = Candidate(
                label=label,
                place=len(self.candidates),
                sentences=tuple(sentences(chunk.text)) or (chunk.text,),
                chunk=chunk,
                tags=tuple(tags.get(chunk.id, ())),
                pairs=tuple(dict.fromkeys(f"{via.source} {via.target}" for via in chunk.via)),
            )

    def _add_facts(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if fact.id not in self.candidates:
                number = 1 + sum(one.fact is not None for one in self.candidates.values())
                self.candidates[fact.id] = Candidate(
                    label=f"F{number}", place=len(self.candidates), sentences=(fact.stated,), fact=fact
                )
