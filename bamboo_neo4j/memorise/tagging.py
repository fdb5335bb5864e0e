"""Taggers: who gives a chunk its tags.

`rules` (deterministic, no model), `llm` (one call of a chat model a chunk) or the user's own function, named
``module:function``; and a closed vocabulary, to which the tags of any of them can be restricted.
"""

from __future__ import annotations

import importlib
import inspect
import math
import operator
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, get_args

from bamboo_neo4j.errors import InputError, UsageError
from bamboo_neo4j.memorise import rules
from bamboo_neo4j.memorise.tag_list import MOST_TAGS, clean, kind_of, salience_of, settle, too_long
from bamboo_neo4j.memorise.vocabulary import Vocabulary, read_vocabulary
from bamboo_neo4j.records import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Tag
    from bamboo_neo4j.settings import Settings

MOST_PROPOSED = 10_000
"""Tags that are taken from a function before the rest is left: it may never end."""

_HINT = "use rules, llm, or module:function of your own"


class Tagger(Protocol):
    """What gives a chunk its tags; may be called from several threads when it `waits`."""

    @property
    def fingerprint(self) -> str:
        """Everything but the text that decides the tags: rules, model and prompt, vocabulary, limit."""

    @property
    def waits(self) -> bool:
        """Whether calls wait on a server, so that several at once are worth it."""

    @property
    def calls(self) -> int:
        """Calls of a model so far."""

    def tags(self, text: str, *, title: str, tokens: int, notes: list[str] | None = None) -> tuple[Tag, ...]:
        """Return the tags of a chunk of `tokens` tokens, one a key, primary ones first.

        What was left out and may matter to the user is appended to `notes`, a sentence each.

        Raises:
            InputError: this chunk cannot be tagged; others can.
            ModelError: the model service failed.

        """


def find_tagger(
    name: str,
    *,
    normaliser: Normaliser,
    settings: Settings,
    limit: int | None = None,
    vocabulary: Path | None = None,
    model: ChatModel | BaseChatModel | None = None,
) -> Tagger:
    """Return the tagger called `name`: `rules`, `llm` or `module:function`.

    `limit` fixes the number of tags a chunk; else it grows with the chunk. `vocabulary` is the file of the
    only tags allowed. `model` takes the place of the configured one for `llm`; one of LangChain's will do.

    Raises:
        UsageError: no such tagger, it cannot be imported or called, or the limit is out of range.
        InputError: the vocabulary cannot be used.
        ModelError: no model service is configured.

    """
    if limit is not None and not 1 <= limit <= MOST_TAGS:
        raise UsageError(f"{limit!r} tags a chunk cannot be had", hint=f"give 1 to {MOST_TAGS}")
    words = read_vocabulary(vocabulary, normaliser=normaliser) if vocabulary else None
    ending = Ending(normaliser, limit=limit, vocabulary=words)
    if name == "rules":
        return VocabularyTagger(ending, words) if words else RuleTagger(ending)
    if name == "llm":
        from bamboo_neo4j.memorise.llm import ModelTagger
        from bamboo_neo4j.models.chat import as_chat, open_chat

        return ModelTagger(as_chat(model) if model else open_chat(settings), ending=ending)
    if ":" in name:
        return FunctionTagger(name, ending=ending)
    raise UsageError(f"there is no tagger {name!r}", hint=_HINT)


class Ending:
    """What happens to every tagger's proposals: primary tags added, vocabulary obeyed, the list capped."""

    def __init__(
        self, normaliser: Normaliser, *, limit: int | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        self.normaliser = normaliser
        self.vocabulary = vocabulary
        self._limit = limit

    @property
    def fingerprint(self) -> str:
        """The part of a fingerprint that is the same for all taggers."""
        parts = [f"rules {rules.RULES}"]
        if self._limit is not None:
            parts.append(f"limit {self._limit}")
        if self.vocabulary is not None:
            parts.append(f"vocabulary {self.vocabulary.digest}")
        return ", ".join(parts)

    def limit(self, tokens: int) -> int:
        """Return how many tags a chunk of `tokens` tokens may have."""
        return min(rules.tag_limit(tokens) if self._limit is None else self._limit, MOST_TAGS)

    def make(
        self, spellings: Sequence[tuple[str, Kind | None]], *, text: str, notes: list[str] | None
    ) -> list[Tag]:
        """Return tags of these spellings, in order; those too long or without a word are left out."""
        made = []
        for place, (spelling, kind) in enumerate(spellings):
            display = clean(spelling)
            excess = too_long(display)
            if excess:
                note(notes, f"the tag {display[:40]!r}… was left out: {excess}")
                continue
            tag = rules.make_tag(
                display,
                kind=kind or kind_of(display, text),
                salience=salience_of(place, len(spellings)),
                normaliser=self.normaliser,
            )
            if tag is not None:
                made.append(tag)
        return made

    def settle(self, proposed: Iterable[Tag], *, text: str, title: str, tokens: int) -> tuple[Tag, ...]:
        """Return the chunk's final tags."""
        primary = rules.primary_tags(text, title=title, normaliser=self.normaliser)
        return settle(self._allowed(proposed), primary=self._allowed(primary), limit=self.limit(tokens))

    def _allowed(self, tags: Iterable[Tag]) -> list[Tag]:
        """Return the tags that the vocabulary has, in its own spelling; all of them where there is none."""
        if self.vocabulary is None:
            return list(tags)
        allowed = []
        for tag in tags:
            display = self.vocabulary.canonical(tag.key)
            own = display and rules.make_tag(
                display, kind=tag.kind, salience=tag.salience, normaliser=self.normaliser, about=tag.about
            )
            if own:
                allowed.append(own)
        return allowed


class RuleTagger:
    """Tags by rules: names, dates and phrases as the text writes them."""

    waits = False
    calls = 0

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self.fingerprint = ending.fingerprint

    def tags(self, text: str, *, title: str, tokens: int, notes: list[str] | None = None) -> tuple[Tag, ...]:
        """Return the tags of a chunk; see `Tagger.tags`."""
        del notes
        ending = self._ending
        return rules.tag_chunk(
            text, title=title, normaliser=ending.normaliser, tokens=tokens, limit=ending.limit(tokens)
        )


class VocabularyTagger:
    """Tags that a closed vocabulary has, found in the title and text in any inflection."""

    waits = False
    calls = 0

    def __init__(self, ending: Ending, vocabulary: Vocabulary) -> None:
        self._ending = ending
        self._vocabulary = vocabulary
        self.fingerprint = ending.fingerprint

    def tags(self, text: str, *, title: str, tokens: int, notes: list[str] | None = None) -> tuple[Tag, ...]:
        """Return the tags of a chunk; see `Tagger.tags`."""
        found = [(one.display, None) for one in self._vocabulary.find(text, title=title)]
        proposed = self._ending.make(found, text=text, notes=notes)
        return self._ending.settle(proposed, text=text, title=title, tokens=tokens)


class FunctionTagger:
    """Tags by a function of the user's: called with the text (and `title=`, if it takes that).

    It returns an iterable of strings, or of (string, kind) pairs, the most telling first. A function that
    raises or returns something else fails the chunk, not the run.
    """

    waits = False
    calls = 0

    def __init__(self, name: str, *, ending: Ending) -> None:
        self._name = name
        self._ending = ending
        self._function, module = _import_function(name)
        self._takes_title = _takes_title(self._function, name)
        version = getattr(module, "__version__", "")
        self.fingerprint = f"{name} {version}".strip() + f", {ending.fingerprint}"

    def tags(self, text: str, *, title: str, tokens: int, notes: list[str] | None = None) -> tuple[Tag, ...]:
        """Return the tags of a chunk; see `Tagger.tags`."""
        spellings = self._spellings(text, title)
        if len(spellings) > MOST_PROPOSED:
            note(
                notes, f"the tagger {self._name!r} gave more than {MOST_PROPOSED} tags; the rest was left out"
            )
            spellings = spellings[:MOST_PROPOSED]
        proposed = self._ending.make(spellings, text=text, notes=notes)
        return self._ending.settle(proposed, text=text, title=title, tokens=tokens)

    def _spellings(self, text: str, title: str) -> list[tuple[str, Kind | None]]:
        try:
            given = self._function(text, title=title) if self._takes_title else self._function(text)
            items = list(islice(iter(_iterable(given)), MOST_PROPOSED + 1))
            return [_spelling(item) for item in items]
        except _Nonsense as nonsense:
            reason = str(nonsense)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a user's function raises is one failure
            reason = f"{type(error).__name__}: {error}"
        source = title or text[:40]
        raise InputError(f"the tagger {self._name!r} failed on {source!r}: {' '.join(reason.split())[:300]}")


def note(notes: list[str] | None, sentence: str) -> None:
    """Append a sentence for the user, where someone listens."""
    if notes is not None and sentence not in notes:
        notes.append(sentence)


class _Nonsense(Exception):
    """What a user's function returned is no list of tags."""


def _iterable(given: object) -> Iterable[object]:
    if isinstance(given, (str, bytes, dict)) or not hasattr(given, "__iter__"):
        raise _Nonsense(f"it returned {_shown(given)}, not a list of strings")
    iterable: Iterable[object] = given
    return iterable


def _spelling(item: object) -> tuple[str, Kind | None]:
    if isinstance(item, str):
        return item, None
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and item[1] in get_args(Kind):  # noqa: PLR2004
        return item[0], item[1]
    raise _Nonsense(f"{_shown(item)} is no tag; a tag is a string, or a pair of a string and a kind")


def _shown(given: object) -> str:
    if (
        given is None
        or isinstance(given, bool | str)
        or (isinstance(given, float) and not math.isfinite(given))
    ):
        return repr(given)[:60]
    return f"{type(given).__name__} {given!r}"[:60]


def _import_function(name: str) -> tuple[Callable[..., object], ModuleType]:
    """Import ``module:function``, from the current directory first, as servers of Python programs do."""
    module_name, _, attribute = name.partition(":")
    if not attribute or not all(
        part.isidentifier() for part in (*module_name.split("."), *attribute.split("."))
    ):
        raise UsageError(
            f"{name!r} names no function", hint="write package.module:function, without .py and /"
        )
    module = _import_module(module_name, name)
    try:
        function = operator.attrgetter(attribute)(module)
    except AttributeError:
        raise UsageError(
            f"the module {module_name!r} has no {attribute!r}", hint=f"it was read from {module.__file__!r}"
        ) from None
    if not callable(function) or inspect.iscoroutinefunction(function):
        raise UsageError(f"the tagger {name!r} is no function that can be called with a text", hint=_HINT)
    return function, module


def _import_module(module_name: str, name: str) -> ModuleType:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise UsageError(f"the tagger {name!r} cannot be imported: {reason}", hint=_HINT) from error
    finally:
        # What the function imports later is found too, but no file here may stand in for another module then.
        sys.path.remove(here)
        if here not in sys.path:
            sys.path.append(here)


def _takes_title(function: Callable[..., object], name: str) -> bool:
    """Tell whether the function takes `title=`; one that cannot be called with a text is refused."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    for arguments in ({"title": ""}, {}):
        try:
            signature.bind("", **arguments)
        except TypeError:
            continue
        return bool(arguments)
    raise UsageError(
        f"the tagger {name!r} cannot be called with a text: its signature is {signature}",
        hint="give it the parameters (text) or (text, *, title)",
    )
