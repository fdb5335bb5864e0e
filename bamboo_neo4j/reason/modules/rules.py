"""Rules over facts: what must hold, what must not, and what follows; as in an audit.

A rule is a conjunction of triples with variables, matched against the facts of the memory as of the time
asked. The confidence of a finding is the rule's, times the strength of the weakest fact it stands on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import LimitReached, NothingRecalled
from bamboo_neo4j.forms import read_form
from bamboo_neo4j.reason.evidence import ends, named, those_about
from bamboo_neo4j.reason.modules.rulebook import VARIABLE, Compared, Rule, Rulebook, number
from bamboo_neo4j.records import ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

    from bamboo_neo4j.forms import Source
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.reason.modules.rulebook import Pattern
    from bamboo_neo4j.records import Fact

MOST_FACTS = 50_000
"""Facts with the predicates of the rules that are looked at."""

FEW = 2_000
"""Facts of a memory that are read in one go, rather than predicate by predicate."""

MOST_FINDINGS = 200
"""Findings of one rule that are reported; a rule that fits everything says nothing."""

MOST_STEPS = 200_000
"""Facts that one rule compares: conditions that share no variable multiply."""

_ABOUT = "Rules over the facts of the memory: audits, checks, conditions that hold or are broken."


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that holds: what its variables stand for, and the facts it stands on."""

    rule: Rule
    bound: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()

    @property
    def says(self) -> str:
        """The conclusion in words."""
        return self.rule.says(dict(self.bound))

    @property
    def confidence(self) -> float:
        """The rule's confidence times the strength of the weakest fact."""
        return self.rule.confidence * min(fact.strength for fact in self.facts)


class Rules:
    """The module `rules`: the rules of a file over the facts of the memory."""

    name = "rules"

    def __init__(self, rulebook: Rulebook, *, words: Normaliser) -> None:
        self._rulebook = rulebook
        self._words = words
        names = " ".join(rule.name for rule in rulebook.rules)
        self.description = f"{rulebook.description or _ABOUT} {names}".strip()

    @classmethod
    def read(cls, source: Source, *, words: Normaliser) -> Self:
        """Read the rules from a file, or from the same in Python; raises InputError for what is unfit."""
        return cls(read_form(source, Rulebook, what="the rules"), words=words)

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return what the rules find about what the question names, or about everything if it names nothing.

        Raises NothingRecalled when no rule holds.
        """
        known = Known(self._facts(memory), words=self._words)
        asked = named(question, ends(known.facts), words=self._words)
        about: list[Finding] = []
        cut: list[str] = []
        for rule in self._rulebook.rules:
            found = list(islice(self._about(asked, known.findings(rule)), MOST_FINDINGS + 1))
            about += found[:MOST_FINDINGS]
            cut += [rule.name] * (len(found) > MOST_FINDINGS)
        if not about:
            raise NothingRecalled(self._nothing(known, asked))
        output = self._output(about, known)
        left = f"more than {MOST_FINDINGS} findings, the others left out: {', '.join(cut)}"
        return replace(output, path=(*output.path, left)) if cut else output

    def _about(self, asked: tuple[str, ...], findings: Iterator[Finding]) -> Iterator[Finding]:
        for finding in findings:
            if not asked or those_about(asked, finding.facts, words=self._words):
                yield finding

    def _facts(self, memory: Remembering) -> Iterator[Fact]:
        """Yield the facts with the predicates of the rules: out of all, where there are few."""
        patterns = [pattern for rule in self._rulebook.rules for pattern in (*rule.when, *rule.unless)]
        predicates = {self._words.key(pattern[1]): pattern[1] for pattern in patterns}
        some = list(islice(memory.facts(), FEW + 1))
        if len(some) <= FEW:
            yield from (fact for fact in some if self._words.key(fact.predicate) in predicates)
            return
        taken = 0
        for predicate in predicates.values():
            for fact in memory.facts(predicate=predicate):
                taken += 1
                if taken > MOST_FACTS:
                    raise LimitReached(f"the rules speak of more than {MOST_FACTS:,} facts")
                yield fact

    def _nothing(self, known: Known, asked: tuple[str, ...]) -> str:
        count = f"none of the {len(self._rulebook.rules)} rules holds over {len(known.facts)} facts"
        return f"{count} about {', '.join(asked)}" if asked else count

    def _output(self, findings: list[Finding], known: Known) -> ReasoningOutput:
        once = {finding.says: finding for finding in findings}
        sides = [finding.rule.stance for finding in findings if finding.rule.stance is not None]
        used = dict.fromkeys(fact.id for finding in findings for fact in finding.facts)
        return ReasoningOutput(
            module=self.name,
            conclusion="; ".join(once),
            confidence=fmean(finding.confidence for finding in findings),
            path=tuple(_step(finding) for finding in findings),
            facts=tuple(used),
            metrics=(
                ("rules", len(self._rulebook.rules)),
                ("facts", len(known.facts)),
                ("findings", len(findings)),
            ),
            stance=fmean(sides) if sides else None,
        )


class Known:
    """Facts by predicate and ends, and what rules find among them; names are compared as tags are."""

    def __init__(self, facts: Iterable[Fact], *, words: Normaliser) -> None:
        self.facts = tuple({fact.id: fact for fact in facts}.values())
        self._key = cache(words.key)
        self._by: dict[tuple[str, str, str], list[Fact]] = {}
        for fact in sorted(self.facts, key=lambda fact: (-fact.strength, fact.id)):
            begin, end = fact.ends
            said = self._key(fact.predicate)
            for place in ((said, "", ""), (said, self._key(begin), ""), (said, "", self._key(end))):
                self._by.setdefault(place, []).append(fact)

    def findings(self, rule: Rule) -> Iterator[Finding]:
        """Yield each way in which a rule holds, the ones on the strongest facts first.

        Raises LimitReached where more than `MOST_STEPS` facts would have to be compared.
        """
        left = iter(range(MOST_STEPS))
        for finding in self._extend(Finding(rule), rule.when, left):
            if not any(self._holds(pattern, finding.bound, left) for pattern in rule.unless):
                yield finding

    def _extend(
        self, finding: Finding, patterns: tuple[Pattern, ...], left: Iterator[int]
    ) -> Iterator[Finding]:
        if not patterns:
            yield finding
            return
        for fact, bound in self._matches(patterns[0], finding.bound):
            if next(left, None) is None:
                raise LimitReached(f"the rule {finding.rule.name!r} compares more than {MOST_STEPS:,} facts")
            longer = Finding(finding.rule, bound, (*finding.facts, fact))
            yield from self._extend(longer, patterns[1:], left)

    def _holds(self, pattern: Pattern, bound: Mapping[str, str], left: Iterator[int]) -> bool:
        next(left, None)
        return next(self._matches(pattern, bound), None) is not None

    def _matches(
        self, pattern: Pattern, bound: Mapping[str, str]
    ) -> Iterator[tuple[Fact, Mapping[str, str]]]:
        subject, predicate, target = pattern
        for fact in self._by.get(self._place(subject, predicate, target, bound), ()):
            begin, end = fact.ends
            now = self._bind(subject, begin, bound)
            if now is None:
                continue
            if isinstance(target, Compared):
                now = now if self._compares(target, end) else None
            else:
                now = self._bind(target, end, now)
            if now is not None:
                yield fact, now

    def _place(
        self, subject: str, predicate: str, target: str | Compared, bound: Mapping[str, str]
    ) -> tuple[str, str, str]:
        """Return where facts that may match are kept: by an end that is known, else by the predicate."""
        said = self._key(predicate)
        if (name := _named(subject, bound)) is not None:
            return said, self._key(name), ""
        if isinstance(target, str) and (name := _named(target, bound)) is not None:
            return said, "", self._key(name)
        return said, "", ""

    def _bind(self, part: str, name: str, bound: Mapping[str, str]) -> Mapping[str, str] | None:
        """Return the bindings under which a part of a pattern is `name`, None where it is not."""
        held = _named(part, bound)
        if held is None:
            return {**bound, part[1:]: name}
        return bound if self._key(held) == self._key(name) else None

    def _compares(self, compared: Compared, name: str) -> bool:
        key, value = self._key(name), number(name)
        if compared.is_not is not None and key == self._key(compared.is_not):
            return False
        if compared.one_of is not None and key not in map(self._key, compared.one_of):
            return False
        limits = (compared.below, compared.above, compared.at_least, compared.at_most)
        if all(limit is None for limit in limits):
            return True
        if value is None:
            return False
        below, above, least, most = limits
        return (
            (below is None or value < below)
            and (above is None or value > above)
            and (least is None or value >= least)
            and (most is None or value <= most)
        )


def _named(part: str, bound: Mapping[str, str]) -> str | None:
    """Return the name that a part of a pattern stands for, None for a variable that is free."""
    variable = VARIABLE.fullmatch(part)
    return bound.get(variable[1]) if variable else part


def _step(finding: Finding) -> str:
    grounds = "; ".join(fact.stated for fact in finding.facts)
    without = "; no exception holds" if finding.rule.unless else ""
    return f"{finding.rule.name}: {grounds}{without}: so {finding.says}"
