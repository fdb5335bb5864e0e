"""Evidence: what a question names, the facts about it, and the pairs of tags that chunks hold."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.records import UsedPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import Fact, Recall, RecalledChunk

SCANNED = 5_000
"""Facts that are looked through for names of the question where recall knows none."""
TIES = 20
"""Facts that tie one name to what is asked."""
ANSWERS = frozenset({"yes", "no", "true", "fals", "none"})
"""Keys of objects of facts that name nothing."""


def named(text: str, names: Iterable[str], *, words: Normaliser) -> tuple[str, ...]:
    """Return the names that stand in `text`, in any inflection, in the order given; each key once.

    Names that say little ("first", "yes") do not count.
    """
    stems = f" {' '.join(token.stem for token in words.tokens(text))} "
    found: dict[str, str] = {}
    for name in names:
        key = words.key(name)
        if not _is_generic(key, words) and f" {key} " in stems:
            found.setdefault(key, name)
    return tuple(found.values())


def _is_generic(key: str, words: Normaliser) -> bool:
    parts = key.split()
    return all(part in ANSWERS or words.is_generic(part) or words.is_function_word(part) for part in parts)


def ends(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return the subjects and objects of facts as they were written, each once."""
    return tuple(dict.fromkeys(name for fact in facts for name in fact.ends))


def surest(facts: Iterable[Fact], *, limit: int) -> tuple[Fact, ...]:
    """Return the strongest facts, each once, ties by id."""
    once = {fact.id: fact for fact in facts}
    return tuple(sorted(once.values(), key=lambda fact: (-fact.strength, fact.id))[:limit])


def facts_about(name: str, memory: Remembering) -> Iterator[Fact]:
    """Yield the facts that have `name` at either end; one that has it at both comes twice."""
    yield from memory.facts(subject=name)
    yield from memory.facts(object=name)


def facts_for(
    question: str, memory: Remembering, *, recall: Recall | None, words: Normaliser, limit: int
) -> tuple[Fact, ...]:
    """Return the facts about what the question names: the strongest `limit`.

    The names are the tags that recall found in the question. Where none of them has a fact (a memory may
    hold facts and no document), `SCANNED` facts are looked through for names of the question.
    """
    tags = [cue.tag for cue in recall.cues if cue.tag] if recall else []
    found = surest((fact for tag in tags for fact in facts_about(tag, memory)), limit=limit)
    if found:
        return found
    some = list(islice(memory.facts(), SCANNED))
    return surest(those_about(named(question, ends(some), words=words), some, words=words), limit=limit)


def ties(name: str, question: str, memory: Remembering, *, words: Normaliser) -> tuple[Fact, ...]:
    """Return the facts that tie `name` to other things that the question names, else all facts about it.

    The strongest `TIES` are taken.
    """
    about = surest(facts_about(name, memory), limit=1_000)
    others = [end for end in ends(about) if words.key(end) != words.key(name)]
    asked = those_about(named(question, others, words=words), about, words=words)
    return (asked or about)[:TIES]


def those_about(names: Iterable[str], facts: Iterable[Fact], *, words: Normaliser) -> tuple[Fact, ...]:
    """Return the facts that have one of `names` at either end."""
    keys = {words.key(name) for name in names}
    return tuple(fact for fact in facts if {words.key(fact.subject), words.key(fact.object)} & keys)


def recalled(question: str, memory: Remembering, *, limit: int, tokens: int) -> Recall | None:
    """Return what the memory recalls, None for nothing."""
    try:
        return memory.recall(question, limit=limit, tokens=tokens)
    except NothingRecalled:
        return None


def pairs_with(
    name: str, others: Sequence[str], chunks: Iterable[RecalledChunk], *, words: Normaliser
) -> tuple[UsedPair, ...]:
    """Return the pairs of `name` and one of `others` that stand in the same chunk, each once."""
    pairs: dict[str, UsedPair] = {}
    for chunk in chunks:
        if named(chunk.text, [name], words=words):
            for other in named(chunk.text, others, words=words):
                if words.key(other) != words.key(name):
                    pairs.setdefault(words.key(other), UsedPair(name, other, chunk.id))
    return tuple(pairs.values())
