"""A memory in plain dictionaries: what recall through Neo4j must equal, and where experiments are run.

It holds the same chunks, terms, tags and counts as the graph would, and gives them to the same ranking. Only
the choice of candidates is its own: the hundred best by Lucene's BM25, as the full-text index roughly has it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.rules import tag_chunk
from bamboo_neo4j.normalise import SEPARATOR, chunk_terms, normaliser
from bamboo_neo4j.recall import cues as cue_rules
from bamboo_neo4j.recall import ranking
from bamboo_neo4j.recall.cues import KnownTag
from bamboo_neo4j.recall.reading import BODY, COMMON, FOUND, LINK_ABOUT, LINK_TAGGED, RAREST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bamboo_neo4j.recall.cues import Cues, Reading
    from bamboo_neo4j.recall.ranking import Candidate, Link, Ranked, Scored
    from bamboo_neo4j.records import Tag

WORDS_A_TOKEN = 0.75


@dataclass(slots=True)
class _Tag:
    id: int
    key: str
    name: str
    chunks: set[str] = field(default_factory=set)
    about: set[str] = field(default_factory=set)
    entity_in: set[str] = field(default_factory=set)


class ReferenceMemory:
    """Chunks, tags and words in memory; `recall` ranks as the product does."""

    def __init__(self, language: str = "en", *, limit: int | None = None) -> None:
        self.normaliser = normaliser(language)
        self.limit = limit
        self.candidates: dict[str, Candidate] = {}
        self.tags: dict[str, _Tag] = {}
        self.by_id: dict[int, _Tag] = {}
        self.chunk_tags: dict[str, list[int]] = {}
        self.postings: dict[str, dict[str, int]] = defaultdict(dict)
        self.terms = 0

    def add(self, chunk: str, title: str, text: str) -> None:
        """Memorise one passage as one chunk."""
        tokens = int(len(text.split()) / WORDS_A_TOKEN)
        tags = tag_chunk(text, title=title, normaliser=self.normaliser, tokens=tokens, limit=self.limit)
        terms, length = chunk_terms(self.normaliser, title, text)
        self.put(chunk, tags, terms=terms, length=length)

    def put(self, chunk: str, tags: Iterable[Tag], *, terms: str, length: int) -> None:
        """Memorise a chunk whose tags and terms are known."""
        ids = []
        for tag in tags:
            mine = self.tags.setdefault(tag.key, _Tag(len(self.tags), tag.key, tag.name))
            self.by_id[mine.id] = mine
            ids.append((mine.id, tag.about))
            mine.chunks.add(chunk)
            if tag.about:
                mine.about.add(chunk)
            if tag.kind == "entity":
                mine.entity_in.add(chunk)
        split = tuple(terms.split())
        about = tuple(sorted((tag for tag, primary in ids if primary), key=self._first_primary))
        self.candidates[chunk] = ranking.Candidate(chunk, split, length, about)
        self.chunk_tags[chunk] = [tag for tag, _ in ids]
        for word, count in Counter(split).items():
            if word != SEPARATOR:
                self.postings[word][chunk] = count
        self.terms += length

    @property
    def corpus(self) -> ranking.Corpus:
        """The memory's counters."""
        return ranking.Corpus(len(self.candidates), self.terms)

    def cues(self, question: str) -> tuple[Reading, Cues]:
        """Return the question as read, and what is known of it."""
        reading = cue_rules.read(question, self.normaliser)
        tags = [self._known(self.tags[key]) for key in reading.keys if key in self.tags]
        words = {term: len(self.postings[term]) for term in reading.spelling if term in self.postings}
        cues = cue_rules.choose(reading, self.normaliser, corpus=self.corpus, tags=tags, words=words)
        return reading, cues

    def recall(self, question: str, limit: int = 20) -> list[Ranked]:
        """Return the `limit` best chunks for `question`."""
        _, cues = self.cues(question)
        if not cues:
            return []
        scored, top = self.first(cues)
        links, fresh = self.links(scored, cues)
        corpus, query = self.corpus, cues.query
        ranked = ranking.second_round(scored, fresh, links=links, top=top, query=query, corpus=corpus)
        return ranked[:limit]

    def first(self, cues: Cues) -> tuple[list[Scored], float]:
        """Return round 1: the candidates in order, and what their scores were divided by."""
        about = {chunk for name in cues.query.names for chunk in name.about}
        return ranking.first_round(
            [self.candidates[chunk] for chunk in self.found(cues)],
            [self.candidates[chunk] for chunk in sorted(about)],
            query=cues.query,
            corpus=self.corpus,
        )

    def found(self, cues: Cues) -> list[str]:
        """Return the ids of the `FOUND` best chunks by Lucene's BM25 (k1 1.2, b 0.75)."""
        number, mean = len(self.candidates), self.corpus.mean_length
        words = sorted((len(self.postings[word]), word) for word in cues.query.words)
        asked = [(df, word) for i, (df, word) in enumerate(words) if i < RAREST or df <= COMMON * number]
        scores: dict[str, float] = defaultdict(float)
        for df, word in asked:
            weight = log(1 + (number - df + 0.5) / (df + 0.5))
            weight *= 0.5 if self.normaliser.is_generic(word) else 1.0
            for chunk, count in self.postings[word].items():
                length = self.candidates[chunk].length
                scores[chunk] += weight * count / (count + 1.2 * (0.25 + 0.75 * length / mean))
        return sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:FOUND]

    def links(self, scored: Sequence[Scored], cues: Cues) -> tuple[dict[str, list[Link]], list[Candidate]]:
        """Return the links from the best chunks, and the best-linked chunks that are new."""
        sources = scored[: ranking.SOURCES]
        links: dict[str, list[Link]] = defaultdict(list)
        best: dict[str, float] = defaultdict(float)
        for i, source in enumerate(sources):
            held = self.chunk_tags[source.candidate.id]
            for chunk, (worth, _, tag) in self._linked(source.candidate, cues).items():
                links[chunk].append(ranking.anchored(ranking.Link(i, worth, tag), held, cues.query))
                best[chunk] = max(best[chunk], source.score * worth)
        known = {each.candidate.id for each in scored}
        new = sorted((chunk for chunk in links if chunk not in known), key=lambda c: (-best[c], c))
        return links, [self.candidates[chunk] for chunk in new[: ranking.FRESH]]

    def _linked(self, source: Candidate, cues: Cues) -> dict[str, tuple[float, str, int]]:
        found: dict[str, tuple[float, str, int]] = {}
        for number in self.chunk_tags[source.id]:
            tag = self.by_id[number]
            bridge = source.id in tag.entity_in or source.id in tag.about
            if number in cues.grams or not bridge or len(tag.chunks) < 2:
                continue
            worth = self.corpus.specificity(len(tag.chunks))
            reached = [(chunk, worth) for chunk in tag.about if len(tag.about) <= LINK_ABOUT]
            reached += [(chunk, BODY * worth) for chunk in tag.chunks if len(tag.chunks) <= LINK_TAGGED]
            for chunk, value in reached:
                if chunk != source.id:
                    found[chunk] = max(found.get(chunk, (0.0, "", 0)), (value, tag.key, tag.id))
        return found

    def _first_primary(self, tag: int) -> tuple[int, str]:
        return -len(self.by_id[tag].key.split()), self.by_id[tag].key

    def _known(self, tag: _Tag) -> KnownTag:
        about = frozenset(tag.about if len(tag.about) <= cue_rules.MOST_ABOUT else ())
        return KnownTag(tag.id, tag.key, tag.name, len(tag.chunks), len(tag.about), about)
