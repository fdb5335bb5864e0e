"""The tone of announcements, by a lexicon: which words speak for something, which against it, how strongly.

The lexicon is our own (`tone.json`): words of what companies and projects announce, each worth 1 or 2. A
negator in the three words before, in the same clause, turns a word round, a word like "very" before it makes
it half as strong again. The tone of a text is (for − against) / (for + against), in [-1, 1].
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, field_validator, model_validator

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.forms import Strict, read_form
from bamboo_neo4j.reason.evidence import named, pairs_with, recalled, ties
from bamboo_neo4j.records import ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from bamboo_neo4j.forms import Source
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import UsedPair

BEFORE = 3
"""Words before a word of the lexicon that may turn it round (as in VADER: Hutto and Gilbert 2014)."""
STRONGER = 1.5
NEUTRAL = 0.05
"""Tones nearer to 0 than this are neutral (the threshold that VADER's authors recommend)."""
RECALLED = 5

_ABOUT = (
    "The tone of announcements and communications: sentiment, good news and bad news, confidence, outlook."
)
_CLAUSE = re.compile(r"[.,;:!?\n()]+")
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_DATE = r"\d{4}-\d\d-\d\d(?:[T ].*)?"

Text = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]


class Announcement(Strict):
    """One announcement: when, by or about whom, and its words."""

    date: str = Field(pattern=f"^{_DATE}$")
    subject: str = Field(min_length=1, max_length=200, pattern=r"\S")
    text: Text
    title: str = Field(default="", max_length=2_000)
    source: str = Field(default="", max_length=2_000)

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        try:
            date.fromisoformat(value[:10])
        except ValueError:
            raise ValueError(f"{value[:20]!r} is no day") from None
        return value


class Announcements(Strict):
    """An announcements file; `description` says what it is about."""

    description: str = Field(default="", max_length=2_000)
    announcements: tuple[Announcement, ...] = Field(min_length=1, max_length=100_000)

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: object) -> object:
        return {"announcements": value} if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Stems with their worth (above 0: for, below: against), and the words that turn or strengthen them."""

    worth: dict[str, float]
    negators: frozenset[str]
    stronger: frozenset[str]


@dataclass(frozen=True, slots=True)
class Tone:
    """The tone of a text in [-1, 1], and the words that made it, each with its worth there."""

    value: float
    words: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        """The tone in a word."""
        if abs(self.value) < NEUTRAL:
            return "neutral"
        return "positive" if self.value > 0 else "negative"


@cache
def lexicon(words: Normaliser) -> Lexicon:
    """Return the lexicon, its words stemmed as the memory's are."""
    data = json.loads(Path(__file__).with_name("tone.json").read_text(encoding="utf-8"))
    worth = {words.key(word): float(value) for word, value in data["positive"].items()}
    worth |= {words.key(word): -float(value) for word, value in data["negative"].items()}
    return Lexicon(worth, frozenset(data["negators"]), frozenset(data["stronger"]))


def tone(text: str, *, words: Normaliser) -> Tone:
    """Return the tone of a text; 0 where no word of the lexicon stands in it."""
    found = tuple(pair for clause in _CLAUSE.split(text) for pair in _worths(clause, words))
    total = sum(abs(worth) for _, worth in found)
    return Tone(sum(worth for _, worth in found) / total if total else 0.0, found)


def _worths(clause: str, words: Normaliser) -> Iterator[tuple[str, float]]:
    """Yield the words of the lexicon in a clause; what stands before a comma turns nothing after it."""
    known = lexicon(words)
    tokens = [token.lower() for token in _WORD.findall(clause)]
    for i, token in enumerate(tokens):
        worth = known.worth.get(words.key(token), 0.0)
        if worth:
            before = tokens[max(0, i - BEFORE) : i]
            worth *= STRONGER if known.stronger & set(before[-1:]) else 1.0
            yield token, -worth if known.negators & set(before) else worth


class Sentiment:
    """The module `sentiment`: the tone of announcements about what the question names."""

    name = "sentiment"

    def __init__(self, announcements: Announcements, *, words: Normaliser, as_of: str | None = None) -> None:
        kept = [each for each in announcements.announcements if as_of is None or each.date[:10] <= as_of[:10]]
        self._announcements = sorted(kept, key=lambda each: (each.date, each.subject, each.text))
        self._words = words
        # subjects are left out: what is asked about names the subject, too, whichever module fits
        self.description = announcements.description or _ABOUT

    @classmethod
    def read(cls, source: Source, *, words: Normaliser, as_of: str | None = None) -> Self:
        """Read announcements from a JSON file, or from the same in Python; raises InputError.

        A list alone is taken for the announcements of a file without a description.
        """
        return cls(read_form(source, Announcements, what="the announcements"), words=words, as_of=as_of)

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return the tone of the announcements about the question's subjects, or of all if it names none.

        Confidence is the share of the announcements whose own tone is on the side of the whole. Raises
        NothingRecalled where none has a word of the lexicon.
        """
        subjects = list(dict.fromkeys(each.subject for each in self._announcements))
        asked = named(question, subjects, words=self._words) or tuple(subjects)
        keys = {self._words.key(subject) for subject in asked}
        about = [each for each in self._announcements if self._words.key(each.subject) in keys]
        tones = [(each, tone(f"{each.title}. {each.text}", words=self._words)) for each in about]
        told = [(each, its) for each, its in tones if its.words]
        if not told:
            raise NothingRecalled(f"none of {len(about)} announcements up to the time asked has a tone")
        return self._output(told, question, memory, asked=asked)

    def _output(
        self,
        told: Sequence[tuple[Announcement, Tone]],
        question: str,
        memory: Remembering,
        *,
        asked: Iterable[str],
    ) -> ReasoningOutput:
        whole = Tone(fmean(its.value for _, its in told), ())
        subjects = dict.fromkeys(each.subject for each, _ in told)
        facts = [
            fact.id for subject in subjects for fact in ties(subject, question, memory, words=self._words)
        ]
        pairs = () if facts else self._pairs(tuple(subjects), question, memory)
        same = sum(its.name == whole.name for _, its in told)
        of = f"{len(told)} announcement{'s' if len(told) > 1 else ''} about {', '.join(asked)}"
        return ReasoningOutput(
            module=self.name,
            conclusion=f"the tone of {of} is {whole.name} ({whole.value:+.2f})",
            confidence=same / len(told),
            path=tuple(_step(each, its) for each, its in told),
            facts=tuple(dict.fromkeys(facts)),
            pairs=pairs,
            chunks=tuple(dict.fromkeys(pair.chunk for pair in pairs)),
            metrics=(("announcements", len(told)), ("tone", round(whole.value, 4))),
            stance=whole.value,
        )

    def _pairs(self, subjects: Sequence[str], question: str, memory: Remembering) -> tuple[UsedPair, ...]:
        """Return the pairs of the subjects with other cues of the question; no fact is known of them."""
        found = recalled(question, memory, limit=RECALLED, tokens=4_000)
        if found is None:
            return ()
        cues = [cue.tag for cue in found.cues if cue.tag]
        return tuple(
            pair
            for subject in subjects
            for pair in pairs_with(subject, cues, found.chunks, words=self._words)
        )


def _step(announcement: Announcement, its: Tone) -> str:
    by_worth = sorted(its.words, key=lambda word: (-abs(word[1]), word[0]))
    words = ", ".join(f"{word} {worth:+g}" for word, worth in by_worth[:5])
    return f"{announcement.date[:10]} {announcement.subject}: {its.value:+.2f} ({words})"
