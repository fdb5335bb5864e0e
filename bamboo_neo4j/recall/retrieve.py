"""Retrieve: from a question to chunks and associations, in three round trips and one more.

Same question, same graph: same order. Nothing is written.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NotFound, NothingRecalled, UsageError
from bamboo_neo4j.recall import cues as rules
from bamboo_neo4j.recall import paper, ranking
from bamboo_neo4j.recall.associations import associate
from bamboo_neo4j.recall.context import pack
from bamboo_neo4j.recall.evidence import Chosen, choice, gather
from bamboo_neo4j.recall.lessons import lessons
from bamboo_neo4j.recall.paper import PaperRecall
from bamboo_neo4j.recall.reading import find, link
from bamboo_neo4j.records import Cue, Recall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.recall.cues import Cues, Reading
    from bamboo_neo4j.recall.reading import Found, Reader
    from bamboo_neo4j.records import Association, Ranking

LIMIT = 10
"""Chunks that come back unless more or fewer are asked for."""
NAMED = 8
"""Words that a message names; of the rest only the number is said."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to recall: at most `limit` chunks of at most `tokens` tokens together, and associations.

    `first` neighbours of each tag of the question and `second` of each of those. Raises UsageError for a
    number that is out of range.
    """

    question: str
    memory: str
    limit: int = LIMIT
    tokens: int | None = None
    first: int = 5
    second: int = 3
    ranking: Ranking = "bamboo"
    associations: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be asked for."""
        for name, value, least in (
            ("limit", self.limit, 1),
            ("tokens", self.tokens, 1),
            ("first", self.first, 0),
            ("second", self.second, 0),
        ):
            if value is not None and value < least:
                raise UsageError(f"{name} is {value!r}", hint=f"use {least} or more")
        if self.ranking not in {"bamboo", "paper"}:
            raise UsageError(f"no ranking is called {self.ranking!r}", hint="use bamboo or paper")


def recall(request: Request, *, read: Reader, normaliser: Normaliser) -> Recall:
    """Recall the chunks and the associations for a question.

    Raises:
        NothingRecalled: the memory is empty, or has learned nothing that the question is about; says why.
        OtherWordRules: the memory was written with another normaliser.

    """
    started = time.perf_counter()
    reading = rules.read(request.question, normaliser)
    if not reading.keys:
        raise NothingRecalled(
            f"{request.question!r} holds no word to recall by", hint="name what you want to know about"
        )
    found = find(reading, normaliser, read=read, memory=request.memory)
    cues = rules.choose(reading, normaliser, corpus=found.corpus, tags=found.tags, words=found.words)
    if not cues:
        raise _not_learned(reading, cues, request.memory)
    chosen = _choose(request, cues, found=found, read=read, words=(reading, normaliser))
    associations, asked = _associate(request, cues, read)
    return Recall(
        question=request.question,
        memory=request.memory,
        ranking=request.ranking,
        cues=_shown(cues, reading),
        unknown=cues.unknown,
        associations=associations,
        chunks=chosen.chunks,
        tokens=sum(chunk.tokens for chunk in chosen.chunks),
        truncated=(*_notices(reading, found, cues), *chosen.truncated),
        statements=("recall/candidates", *chosen.statements, *asked),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _associate(request: Request, cues: Cues, read: Reader) -> tuple[tuple[Association, ...], tuple[str, ...]]:
    """Return the associations, and the statement that was run for them, if one was."""
    keys = [cue.tag.key for cue in cues.tags]
    if not (keys and request.first and request.associations):
        return (), ()
    found = associate(keys, read=read, memory=request.memory, first=request.first, second=request.second)
    return found, ("recall/associate",)


def _choose(
    request: Request, cues: Cues, *, found: Found, read: Reader, words: tuple[Reading, Normaliser]
) -> Chosen:
    if request.ranking == "paper":
        asked = PaperRecall(request.memory, request.first, request.second, request.limit, request.tokens)
        return paper.choose(asked, [cue.tag.key for cue in cues.tags], read=read, cycle=found.cycle)
    resolved = {chunk for name in cues.query.names for chunk in name.about}
    about = [candidate for candidate in found.about if candidate.id in resolved]
    scored, top = ranking.first_round(found.found, about, query=cues.query, corpus=found.corpus)
    links = link(scored, cues, found=found, read=read)
    ranked = ranking.second_round(
        scored,
        links.fresh,
        links=links.links,
        top=top,
        query=cues.query,
        corpus=found.corpus,
        lessons=lessons(links.taught, *words),
    )
    packed = pack((each.candidate for each in ranked), limit=request.limit, tokens=request.tokens)
    choices = [choice(ranked[place], links.held) for place in packed.places]
    chunks = gather(choices, read=read, cues=(cue.tag.id for cue in cues.tags), cycle=found.cycle)
    return Chosen(chunks, packed.cut, ("recall/links", "recall/evidence"))


def _not_learned(reading: Reading, cues: Cues, memory: str) -> NothingRecalled:
    if cues.unknown:
        unknown = ", ".join(map(repr, cues.unknown[:NAMED]))
        more = f" and {len(cues.unknown) - NAMED} more words" if len(cues.unknown) > NAMED else ""
        message = f"memory {memory!r} has not learned {unknown}{more}"
    elif reading.terms:
        words = ", ".join(map(repr, reading.spelling.values()))
        message = f"{words} alone say too little to recall by"
    else:
        message = f"{reading.text!r} holds only function words, none of which names anything here"
    return NothingRecalled(message, hint="bamboo tags lists what it knows")


def _notices(reading: Reading, found: Found, cues: Cues) -> tuple[str, ...]:
    """Return what of the question was not used, a sentence each."""
    said = []
    if reading.cut:
        said.append(f"the question was cut: its last {reading.cut} words were not read")
    if found.left:
        said.append(f"{found.left} of the most common tags of the question were not looked at")
    if cues.cut:
        cut = _once(cues.cut)
        named = ", ".join(cut[:NAMED])
        more = f" and {len(cut) - NAMED} more" if len(cut) > NAMED else ""
        said.append(f"the question has too many words and tags; left out, as the most common: {named}{more}")
    return tuple(said)


def _once(texts: Iterable[str]) -> list[str]:
    """Return each of `texts` once, whatever its case: a word may be a tag too."""
    return list({text.casefold(): text for text in reversed(tuple(texts))}.values())[::-1]


def _shown(cues: Cues, reading: Reading) -> tuple[Cue, ...]:
    tags = [Cue(text=cue.text, tag=cue.tag.name) for cue in cues.tags]
    return (*tags, *(Cue(text=reading.spelling[word], word=word) for word in cues.words))


def explain(found: Recall, statement: str) -> str:
    """Return `statement` (the text of recall/explain) with the paths of `found` written into it.

    Every value is a literal, so the text runs by itself in Neo4j Browser.
    """
    edges = dict.fromkeys(
        (via.source, via.target, chunk.id if via is chunk.via[-1] else "")
        for chunk in found.chunks
        for via in chunk.via
    )
    rows = ",\n  ".join(f"[{', '.join(map(_literal, edge))}]" for edge in edges)
    return statement.replace("$memory", _literal(found.memory), 1).replace("$edges", f"[\n  {rows}\n]", 1)


def _literal(text: str) -> str:
    """Return a string of Cypher, with everything escaped that is not plainly printed."""
    return f"'{''.join(map(_escape, text))}'"


def _escape(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[i : i + 2]):04x}" for i in range(0, len(units), 2))


def neighbours(
    tag: str, *, read: Reader, normaliser: Normaliser, memory: str, first: int = 5, second: int = 3
) -> tuple[Association, ...]:
    """Return the associations of one tag, however it is spelled; raise NotFound if the memory has none."""
    key = normaliser.key(tag)
    found = associate([key], read=read, memory=memory, first=first, second=second) if key else ()
    if not found:
        raise NotFound(
            f"memory {memory!r} has not learned {tag!r}, or knows nothing beside it",
            hint="bamboo tags lists what it knows",
        )
    return found
