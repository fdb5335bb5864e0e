"""The four validators in their deterministic form: logical, grounding, novelty, alignment, each in [0, 1].

Each says why in words. Nothing here knows a server: grounding is told by a checker which claims hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import BambooError
from bamboo_neo4j.records import Score, ScoreName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bamboo_neo4j.learn.claims import Checked
    from bamboo_neo4j.learn.goals import Goals, Limit
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Fact, ReasoningOutput, UsedPair

    Checker = Callable[[Sequence[str], Sequence[UsedPair]], Checked]
    Similarity = Callable[[str, str], float]
    Validators = Mapping[ScoreName, Callable[["Case"], Score]]

_OPPOSITES = (("yes", "no"), ("true", "false"))
_SHOWN = 3
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Case:
    """An answer to be judged: what was asked, concluded and used.

    `parts` are the modules' outputs where `output` joins several, and `opposed` their disagreements in words;
    `facts` and `passages` (texts of chunks) are those used, as far as they are known; `known` are earlier
    validated answers of the memory; `goals` are the user's, None for the question itself.
    """

    question: str
    output: ReasoningOutput
    parts: tuple[ReasoningOutput, ...] = ()
    facts: tuple[Fact, ...] = ()
    passages: tuple[str, ...] = ()
    opposed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    goals: Goals | None = None

    @property
    def said(self) -> str:
        """The conclusion and the steps to it."""
        return ". ".join([self.output.conclusion, *self.output.path])


@dataclass(frozen=True, slots=True)
class Tools:
    """What the deterministic validators need: the memory's words, a similarity, a checker of claims."""

    words: Normaliser
    similarity: Similarity
    check: Checker


def deterministic(tools: Tools) -> Validators:
    """Return the four validators in their deterministic form."""
    return {
        "logical": lambda case: logical(case, words=tools.words),
        "grounding": lambda case: grounding(case, check=tools.check),
        "novelty": lambda case: novelty(case, words=tools.words),
        "alignment": lambda case: alignment(case, words=tools.words, similarity=tools.similarity),
    }


def validate(case: Case, validators: Validators) -> tuple[Score, ...]:
    """Run the validators in turn; one that fails gives a score without a value, and its reason."""
    return tuple(_run(name, validator, case) for name, validator in validators.items())


def _run(name: ScoreName, validator: Callable[[Case], Score], case: Case) -> Score:
    try:
        return validator(case)
    except BambooError as error:
        return Score(name, None, f"the validator failed: {error.message}")
    except Exception as error:  # noqa: BLE001 - whatever fails, the gate must close
        shown = " ".join(str(error).split())[:200]
        return Score(name, None, f"the validator failed: {type(error).__name__}: {shown}")


def logical(case: Case, *, words: Normaliser) -> Score:
    """Score how well the conclusion hangs together: as well as the worst of four things.

    Steps: 1 where there are any, else 0. Connection: the largest share of claims that hang together, by a
    shared end, by a shared predicate, or because the question names an end of each; of several modules, the
    worst one's. Consistency: the share of the facts that no other excludes. Agreement: 1 where no modules
    contradict each other, else 1 / modules.
    """
    parts = [
        (1.0 if case.output.path else 0.0, "no step to the conclusion is given"),
        min((_connection(part, case, words) for part in case.parts or (case.output,)), key=_value),
        _consistency(case, words),
        (1 / max(2, len(case.parts)) if case.opposed else 1.0, f"modules disagree: {_some(case.opposed)}"),
    ]
    value, worst = min(parts, key=_value)
    return Score(
        "logical", value, worst if value < 1 else "its claims hang together and none excludes another"
    )


def grounding(case: Case, *, check: Checker) -> Score:
    """Score the share of claims that the graph holds: verified claims / all claims; no claim is 0.

    A fact is verified when it is in the memory and valid at the time asked, a pair when the chunk that it
    names holds both tags.
    """
    facts, pairs = tuple(dict.fromkeys(case.output.facts)), tuple(dict.fromkeys(case.output.pairs))
    claims = len(facts) + len(pairs)
    if not claims:
        return Score("grounding", 0.0, "it claims nothing that the graph could hold")
    found = check(facts, pairs)
    wrong = [
        *(
            f"fact {fact!r} {found.unverified_facts[fact]}"
            for fact in facts
            if fact in found.unverified_facts
        ),
        *(
            f"{pair.source} – {pair.target}: {found.unverified_pairs[pair]}"
            for pair in pairs
            if pair in found.unverified_pairs
        ),
    ]
    value = (claims - len(wrong)) / claims
    said = f"{claims - len(wrong)} of {claims} claims are in the graph"
    return Score("grounding", value, f"{said}; not: {_some(wrong)}" if wrong else said)


def novelty(case: Case, *, words: Normaliser) -> Score:
    """Score what the conclusion adds: 1 − the share of its words that the nearest known text already holds.

    Known are earlier answers and each fact used.
    """
    said = set(words.terms(case.output.conclusion))
    if not said:
        return Score("novelty", 0.0, "the conclusion holds no word")
    texts = [*case.known, *(fact.stated for fact in case.facts)]
    shares = [(len(said & set(words.terms(text))) / len(said), text) for text in texts]
    share, nearest = max(shares, default=(0.0, ""))
    if not share:
        return Score("novelty", 1.0, "nothing like it is known")
    return Score("novelty", 1 - share, f"{share:.0%} of its words are in {_short(nearest)!r}")


def alignment(case: Case, *, words: Normaliser, similarity: Similarity) -> Score:
    """Score how far the answer serves the nearest goal; 0 where it breaks a limit.

    A goal is compared with question, conclusion and steps together. Without goals of the user's own, the
    question is the goal, and is compared with conclusion and steps.
    """
    if case.goals is None:
        value = similarity(case.question, case.said)
        return Score("alignment", value, f"it speaks of what was asked to {value:.0%} (no goals are given)")
    if broken := broken_limit(case, words=words):
        return Score("alignment", 0.0, broken)
    text = f"{case.question}. {case.said}"
    scored = [(similarity(goal, text), goal) for goal in case.goals.goals]
    value, goal = max(scored, key=lambda each: each[0])
    unread = sum(not limit.never and limit.least_confidence is None for limit in case.goals.limits)
    left = f"; {unread} limits without words can be judged by a model only" if unread else ""
    return Score("alignment", value, f"it serves {_short(goal)!r} to {value:.0%}{left}")


def broken_limit(case: Case, *, words: Normaliser) -> str:
    """Return how the conclusion breaks one of the user's limits, "" where it keeps all."""
    limits = case.goals.limits if case.goals else ()
    return next(filter(None, (_broken(limit, case, words) for limit in limits)), "")


def _broken(limit: Limit, case: Case, words: Normaliser) -> str:
    """Return how the conclusion breaks a limit, "" where it does not."""
    stems = _stems(case.output.conclusion, words)
    for phrase in limit.never:
        key = _stems(phrase, words).strip()
        if key and f" {key} " in stems:
            return f"it breaks the limit {limit.limit!r}: it says {phrase!r}"
    least = limit.least_confidence
    if least is not None and case.output.confidence < least:
        sure = f"its confidence {case.output.confidence:.2f} is below {least:g}"
        return f"it breaks the limit {limit.limit!r}: {sure}"
    return ""


def _connection(output: ReasoningOutput, case: Case, words: Normaliser) -> tuple[float, str]:
    """Return the largest share of the claims that hang together, and that in words."""
    known = {fact.id: fact for fact in case.facts}
    facts = [known[fact] for fact in dict.fromkeys(output.facts) if fact in known]
    claims = [
        (words.key(fact.subject), words.key(fact.object), f"?{words.key(fact.predicate)}") for fact in facts
    ]
    claims += [(words.key(pair.source), words.key(pair.target), "") for pair in dict.fromkeys(output.pairs)]
    if not claims:  # facts that nobody knows are a matter of grounding
        return 1.0, ""
    asked = _stems(case.question, words)
    groups: list[tuple[set[str], int]] = []
    for claim in claims:
        joined, count = set(filter(None, claim)), 1
        if any(f" {end} " in asked for end in claim[:2] if end):
            joined.add("?")  # no key holds a question mark: the question itself
        apart = []
        for group, size in groups:
            if group & joined:
                joined, count = joined | group, count + size
            else:
                apart.append((group, size))
        groups = [*apart, (joined, count)]
    largest = max(count for _, count in groups)
    return largest / len(claims), f"{largest} of {len(claims)} claims hang together"


def _consistency(case: Case, words: Normaliser) -> tuple[float, str]:
    against = {
        fact.id: (one, other)
        for one, other in combinations(case.facts, 2)
        if exclude(one, other, words=words)
        for fact in (one, other)
    }
    if not against:
        return 1.0, ""
    one, other = next(iter(against.values()))
    value = 1 - len(against) / len(case.facts)
    return value, f"{one.stated!r} and {other.stated!r} cannot both hold"


def exclude(one: Fact, other: Fact, *, words: Normaliser) -> bool:
    """Whether two facts cannot both hold: yes and no of the same, or a predicate and the same with "not"."""
    key = words.key
    if key(one.subject) != key(other.subject):
        return False
    first, second = key(one.predicate).split(), key(other.predicate).split()
    objects = {key(one.object), key(other.object)}
    if first == second:
        return any(objects == set(map(key, opposites)) for opposites in _OPPOSITES)
    without = [[word for word in part if word != "not"] for part in (first, second)]
    return len(objects) == 1 and without[0] == without[1] and ("not" in first) != ("not" in second)


def _stems(text: str, words: Normaliser) -> str:
    """Return the stems of a text between blanks, so that keys can be looked for in it."""
    return f" {' '.join(token.stem for token in words.tokens(text))} "


def _value(part: tuple[float, str]) -> float:
    return part[0]


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(map(_short, texts[:_SHOWN])) + more


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
