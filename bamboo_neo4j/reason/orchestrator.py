"""The orchestrator: which modules reason about a question, all of them at once, and what became of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import BambooError, LimitReached, ModelError, NothingRecalled
from bamboo_neo4j.reason.modules import checked
from bamboo_neo4j.records import ModuleChoice, ModuleSilence, ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.reason.modules import ReasoningModule
    from bamboo_neo4j.reason.similarity import Similarity

NEAR = 0.85
"""A module runs beside the best one if its similarity is at least this share of the best."""
MOST = 3
"""Modules that are chosen by similarity; named ones are not counted."""
WORKERS = 4
"""Modules that run at once: they wait for servers and models."""


def choose(
    question: str,
    modules: Sequence[ReasoningModule],
    *,
    similarity: Similarity,
    terms: Callable[[str], Iterable[str]] | None = None,
    named: Collection[str] = (),
) -> tuple[ModuleChoice, ...]:
    """Score each module by the similarity of the question to its description, and choose.

    Where some are `named`, they are chosen and no other. Else the best is; then, `MOST` in all, those whose
    score is at least `NEAR` of it, and those whose description holds words of the question (its `terms`) that
    no chosen one's does: a question of two parts needs two modules. Where no description has anything of the
    question, all are. The best comes first, equal ones by name.
    """
    scored = sorted(
        ((round(similarity(question, module.description), 4), module) for module in modules),
        key=lambda each: (-each[0], each[1].name),
    )
    chosen = set(named) or _best(question, scored, terms or (lambda _text: ()))
    return tuple(
        ModuleChoice(module.name, module.description, score, chosen=module.name in chosen)
        for score, module in scored
    )


def _best(
    question: str, scored: Sequence[tuple[float, ReasoningModule]], terms: Callable[[str], Iterable[str]]
) -> set[str]:
    if not scored or not scored[0][0]:
        return {module.name for _, module in scored}
    best, chosen, left = scored[0][0], set[str](), set(terms(question))
    for score, module in scored:
        held = left & set(terms(module.description))
        if len(chosen) < MOST and (score >= NEAR * best or held):
            chosen.add(module.name)
            left -= held
    return chosen


@dataclass(frozen=True, slots=True)
class Ran:
    """What the chosen modules gave: outputs and silences, both in the order of the choice."""

    outputs: tuple[ReasoningOutput, ...]
    silent: tuple[ModuleSilence, ...]


def run(question: str, modules: Sequence[ReasoningModule], memory: Remembering) -> Ran:
    """Let all modules reason at once; one that fails or has nothing to say never stops the others."""
    with ThreadPoolExecutor(max_workers=min(WORKERS, len(modules)) or 1) as pool:
        results = list(pool.map(lambda module: _one(question, module, memory), modules))
    return Ran(
        outputs=tuple(each for each in results if isinstance(each, ReasoningOutput)),
        silent=tuple(each for each in results if isinstance(each, ModuleSilence)),
    )


def _one(question: str, module: ReasoningModule, memory: Remembering) -> ReasoningOutput | ModuleSilence:
    try:
        return checked(module.reason(question, memory), module=module.name)
    except NothingRecalled as nothing:
        return ModuleSilence(module.name, "nothing", nothing.message)
    except BambooError as error:
        kind: Literal["model", "limit", "failed"] = "failed"
        if isinstance(error, ModelError | LimitReached):
            kind = "model" if isinstance(error, ModelError) else "limit"
        return ModuleSilence(module.name, kind, str(error).replace("\n", "; "))
    except Exception as error:  # noqa: BLE001 - modules are users' own code
        shown = " ".join(str(error).split())[:300]
        return ModuleSilence(module.name, "failed", f"{type(error).__name__}: {shown}")
