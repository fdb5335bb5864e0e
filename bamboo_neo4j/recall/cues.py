"""Cues: what the memory knows of a question.

A question is read once (`read`) and looked up in the memory; what is found becomes its cues (`choose`):
words with weights, names with what they are worth, and what the memory does not know.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from bamboo_neo4j.normalise import MAX_TERM
from bamboo_neo4j.recall.ranking import Name, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bamboo_neo4j.normalise import Normaliser, Token
    from bamboo_neo4j.recall.ranking import Corpus

LONGEST = 6
"""Words of the longest tag that is looked for in a question."""
MOST_TOKENS = 512
"""Words of a question that are read; a longer one is cut, and said to be."""
MOST_WORDS = 64
"""Words, and tags, that a question is asked with: the rarest."""
MOST_ABOUT = 50
"""A name that more chunks are about resolves none of them."""
GENERIC = 0.75
"""Factor of a word that says little though it is no function word, unless the memory has made it a tag."""
THETA = 4.0
"""What a chunk gains for being about a name of the question, in units of the name's idf."""
WEAK = 0.25
"""Factor of a name that the question does not write like a name."""


@dataclass(frozen=True, slots=True)
class Gram:
    """One to six neighbouring words of a question that may be a tag: its key, its text, its place.

    `capital` tells whether it is written with one; that the first word of a question has one says nothing.
    """

    key: str
    text: str
    start: int
    end: int
    capital: bool

    @property
    def words(self) -> int:
        """Number of words."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as the normaliser reads it.

    `terms` are its terms in order, repeated ones too; `spelling` maps a term to its first text there;
    `capitals` tells whether a capital stands after the first word; `cut` is the number of words not read.
    """

    text: str
    terms: tuple[str, ...]
    spelling: Mapping[str, str]
    grams: tuple[Gram, ...]
    capitals: bool
    cut: int

    @property
    def keys(self) -> list[str]:
        """The keys that may be tags, each once, in order."""
        return list(dict.fromkeys(gram.key for gram in self.grams))


@dataclass(frozen=True, slots=True)
class KnownTag:
    """A tag of the memory that the question may name.

    `df` chunks hold it, `abouts` chunks are about it; `about` are the ids of those, empty if there are
    more than `MOST_ABOUT`.
    """

    id: int
    key: str
    name: str
    df: int
    abouts: int
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class CueTag:
    """A tag that the question names: none of these lies inside a longer one."""

    tag: KnownTag
    text: str
    words: int
    weak: bool

    @property
    def is_name(self) -> bool:
        """Whether it may resolve a chunk: two words or more, or what some chunk is about."""
        return self.words > 1 or self.tag.abouts > 0


@dataclass(frozen=True, slots=True)
class Cues:
    """What is known of a question, ready to rank with.

    `grams` are the ids of all tags among its n-grams; `words` the known words that no cue tag covers;
    `unknown` its words that the memory does not know; `cut` those left out because there are too many.
    """

    query: Query
    tags: tuple[CueTag, ...]
    words: tuple[str, ...]
    grams: frozenset[int]
    unknown: tuple[str, ...]
    cut: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether there is anything to recall by: a tag, or a word that says something."""
        return bool(self.tags or self.words)


def read(question: str, normaliser: Normaliser) -> Reading:
    """Take a question apart into its terms and the n-grams that may be tags."""
    every = normaliser.tokens(question)
    tokens = every[:MOST_TOKENS]
    spelling: dict[str, str] = {}
    terms = []
    for token in tokens:
        if not normaliser.is_function_word(token.folded) and len(token.stem) <= MAX_TERM:
            terms.append(token.stem)
            spelling.setdefault(token.stem, token.text)
    return Reading(
        text=question,
        terms=tuple(terms),
        spelling=spelling,
        grams=tuple(_grams(question, tokens, normaliser)),
        capitals=any(_has_capital(token.text) for token in tokens[1:]),
        cut=len(every) - len(tokens),
    )


def _grams(question: str, tokens: list[Token], normaliser: Normaliser) -> Iterable[Gram]:
    shouted = not any(character.islower() for character in question)
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + LONGEST, len(tokens)) + 1):
            part = tokens[start:end]
            said = any(not normaliser.is_function_word(token.folded) for token in part)
            if not said and (shouted or not _written_as_name(part)):
                continue
            text = question[part[0].start : part[-1].end]
            key = " ".join(token.stem for token in part)
            yield Gram(key, text, start, end, capital=_has_capital(text if start else text[1:]))


def _written_as_name(tokens: list[Token]) -> bool:
    """Tell whether function words are written as a name: IT, The Who."""
    if len(tokens) == 1:
        return len(tokens[0].text) > 1 and tokens[0].text.isupper()
    return all(_has_capital(token.text) for token in tokens)


def _has_capital(text: str) -> bool:
    return any(character.isupper() for character in text)


def choose(
    reading: Reading,
    normaliser: Normaliser,
    *,
    corpus: Corpus,
    tags: Iterable[KnownTag],
    words: Mapping[str, int],
) -> Cues:
    """Choose the cues of a question from the `tags` and the `words` (with their df) that the memory knows."""
    known = {tag.key: tag for tag in tags}
    ranked = sorted((df, word) for word, df in words.items())
    kept = {word for _, word in ranked[:MOST_WORDS]}
    weights = {
        word: corpus.idf(words[word])
        * (GENERIC if normaliser.is_generic(word) and word not in known else 1.0)
        for word in reading.spelling
        if word in kept
    }
    named = _longest(reading, known)
    rarest = sorted(named, key=lambda cue: (cue.tag.df, cue.tag.key))
    allowed = {cue.tag.key for cue in rarest[:MOST_WORDS]}
    cues = tuple(cue for cue in named if cue.tag.key in allowed)
    covered = {word for cue in cues for word in cue.tag.key.split()}
    return Cues(
        query=_query(reading, weights, cues, corpus),
        tags=cues,
        words=tuple(w for w in weights if w not in covered and not normaliser.is_generic(w)),
        grams=frozenset(tag.id for tag in known.values()),
        unknown=tuple(
            text for word, text in reading.spelling.items() if word not in words and word not in covered
        ),
        cut=(
            *(reading.spelling[word] for _, word in ranked[MOST_WORDS:]),
            *(cue.text for cue in rarest[MOST_WORDS:]),
        ),
    )


def _longest(reading: Reading, known: Mapping[str, KnownTag]) -> list[CueTag]:
    """Return the tags of the question in order, longest first, none inside a kept one."""
    places = [gram for gram in reading.grams if gram.key in known]
    kept: list[Gram] = []
    for gram in sorted(places, key=lambda each: (-each.words, each.start)):
        if not any(other.start <= gram.start and gram.end <= other.end for other in kept):
            kept.append(gram)
    by_key: dict[str, list[Gram]] = {}
    for gram in sorted(kept, key=lambda each: each.start):
        by_key.setdefault(gram.key, []).append(gram)
    return [_cue(known[key], grams, reading) for key, grams in by_key.items()]


def _cue(tag: KnownTag, grams: list[Gram], reading: Reading) -> CueTag:
    lower = not any(gram.capital for gram in grams)
    weak = lower and (reading.capitals or grams[0].words == 1)
    return CueTag(tag, grams[0].text, grams[0].words, weak)


def _query(reading: Reading, weights: Mapping[str, float], cues: Iterable[CueTag], corpus: Corpus) -> Query:
    counts = Counter(reading.terms)
    neighbours = {
        (v, w): min(weights[v], weights[w])
        for v, w in pairwise(reading.terms)
        if v in weights and w in weights
    }
    return Query(
        words={word: weight * counts[word] for word, weight in weights.items()},
        neighbours=neighbours,
        names=tuple(_name(cue, weights, corpus) for cue in cues if cue.is_name),
    )


def _name(cue: CueTag, weights: Mapping[str, float], corpus: Corpus) -> Name:
    """Return theta = 4 idf(df) min(1, sum of widf of the name's words / L), a quarter of it if weak."""
    terms = frozenset(word for word in cue.tag.key.split() if word in weights)
    idf = corpus.idf(cue.tag.df)
    said = sum(weights[word] for word in terms) if terms else idf
    worth = THETA * idf * min(1.0, said / corpus.most) * (WEAK if cue.weak else 1.0)
    return Name(cue.tag.id, terms, worth, cue.tag.about, cue.weak)
