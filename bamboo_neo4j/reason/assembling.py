"""Which modules can reason: the built-in ones whose data is there, and those that packages offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import BambooError, UsageError
from bamboo_neo4j.reason import modules as own
from bamboo_neo4j.records import ModuleSilence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bamboo_neo4j.forms import Source
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.asked import Asked
    from bamboo_neo4j.reason.modules import ReasoningModule

NEEDS = {"rules": "--rules FILE", "table": "--table FILE", "sentiment": "--announcements FILE"}
"""What each built-in module is given its data by; `llm` and `mindmap` need a model."""
BUILT_IN = (*NEEDS, "llm", "mindmap")


@dataclass(frozen=True, slots=True)
class Data:
    """What the built-in modules reason over: files, or what stands in them; None for a module without."""

    rules: Source | None = None
    table: Path | str | None = None
    announcements: Source | None = None


@dataclass(frozen=True, slots=True)
class Models:
    """What reasons with a model: `chat` opens one, `ask` asks by a mind map, a prompt fits into `window`.

    `count` counts the tokens of a text.
    """

    chat: Callable[[], ChatModel]
    ask: Callable[[str], Asked]
    count: Callable[[str], int]
    window: int


@dataclass(frozen=True, slots=True)
class Assembled:
    """The modules that can reason, those that were named, and what could not be loaded."""

    modules: tuple[ReasoningModule, ...]
    named: tuple[str, ...]
    broken: tuple[ModuleSilence, ...]


def assemble(
    data: Data,
    *,
    wanted: Sequence[str | ReasoningModule],
    words: Normaliser,
    as_of: str | None,
    models: Models | None,
) -> Assembled:
    """Return the modules that can reason; `wanted` are names, or modules of the caller's own.

    `models` is None where none is configured. Raises UsageError for a name that no module has, or a built-in
    module without its data; InputError for a file that is unfit.
    """
    names = tuple(each if isinstance(each, str) else each.name for each in wanted)
    given = tuple(each for each in wanted if not isinstance(each, str))
    built_in = (*_over_data(data, words, as_of), *_over_models(models, words, names))
    known: dict[str, ReasoningModule] = {module.name: module for module in (*built_in, *given)}
    broken = []
    for name in own.offered():
        if name in known or name in BUILT_IN or (names and name not in names):
            continue
        try:
            known[name] = _Named(name, own.load(name))
        except BambooError as error:
            if name in names:
                raise
            broken.append(ModuleSilence(name, "failed", error.message))
    for name in names:
        if name not in known:
            raise _unknown(name)
    return Assembled(tuple(known.values()), names, tuple(broken))


def _over_data(data: Data, words: Normaliser, as_of: str | None) -> Iterator[ReasoningModule]:
    """Yield the built-in modules whose data is given."""
    if data.rules is not None:
        from bamboo_neo4j.reason.modules.rules import Rules

        yield Rules.read(data.rules, words=words)
    if data.table is not None:
        from bamboo_neo4j.reason.modules.table import Table

        yield Table.read(data.table, words=words, as_of=as_of)
    if data.announcements is not None:
        from bamboo_neo4j.reason.modules.sentiment import Sentiment

        yield Sentiment.read(data.announcements, words=words, as_of=as_of)


def _over_models(models: Models | None, words: Normaliser, names: Sequence[str]) -> Iterator[ReasoningModule]:
    """Yield the built-in modules that need a model: `mindmap` only where it is named."""
    if models is None:
        return
    if not names or "llm" in names:
        from bamboo_neo4j.reason.modules.llm import ModelReasoning

        yield ModelReasoning(models.chat(), words=words, count=models.count, window=models.window)
    if "mindmap" in names:
        from bamboo_neo4j.reason.modules.mindmap import MindMapReasoning

        yield MindMapReasoning(models.ask)


class _Named:
    """A module under the name of its entry point, whatever it calls itself."""

    def __init__(self, name: str, module: ReasoningModule) -> None:
        self.name = name
        self.description = str(module.description)
        self.reason = module.reason


def _unknown(name: str) -> UsageError:
    if name in NEEDS:
        return UsageError(f"the module {name!r} has nothing to reason over", hint=f"give it {NEEDS[name]}")
    if name in BUILT_IN:
        return UsageError(
            f"the module {name!r} needs a model",
            hint="set BAMBOO_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL",
        )
    listed = ", ".join(dict.fromkeys([*BUILT_IN, *own.offered()]))
    return UsageError(f"no module is called {name!r}", hint=f"there are {listed}")
