"""Tags by a chat model: one call a chunk, each tag checked to be in the chunk.

Decisions. A reply whose meaning is clear is taken though its form is off, since each tag is checked:
a comma-separated string, objects with a name, a bare list. Null, numbers and nested lists are never tags.
A list of which nothing is in the chunk is asked for again, then the chunk fails; an empty list is an answer.
With a closed vocabulary the model chooses among the tags of it that the chunk holds; where it holds none
there is no call.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field, WithJsonSchema, field_validator, model_validator

from bamboo_neo4j.errors import InputError, UnusableReply
from bamboo_neo4j.memorise.tag_list import MOST_TAGS, clean, too_long
from bamboo_neo4j.models.chat import Message
from bamboo_neo4j.models.prompting import as_data, load_prompt, readable
from bamboo_neo4j.models.structured import ask
from bamboo_neo4j.normalise import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.memorise.tagging import Ending
    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import Tag

TOKENS_A_TAG = 24
"""Room for one tag in a reply, with quotation marks; scripts without a place in a tokenizer need most."""

TOKENS_A_REPLY = 256
"""Room in a reply beside its tags."""

_NAMES = ("tag", "name", "text", "term", "value", "label")
_MOST_READ = 1_000
_FEWEST_DIGITS = 3
"""Digits of a number that may be a tag, as a year is; small models list the numbers of steps, too."""

_DELIMITER = re.compile(r"[,;\n]")


class TagList(BaseModel):
    """What the model is asked for: the tags of one passage."""

    tags: list[Annotated[str, WithJsonSchema({"type": "string", "maxLength": 80})]] = Field(
        json_schema_extra={"maxItems": MOST_TAGS}
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: object) -> object:
        return {"tags": value} if isinstance(value, list) and value else value

    @field_validator("tags", mode="before")
    @classmethod
    def _spellings(cls, value: object) -> list[str]:
        """Return the strings of what was given as tags; see the decisions of this module."""
        items: Sequence[object] = _DELIMITER.split(value) if isinstance(value, str) else ()
        if isinstance(value, list):
            items = value[:_MOST_READ]
        spellings = [clean(spelling) for spelling in map(_spelling, items) if spelling]
        spellings = [spelling for spelling in spellings if spelling]
        if not spellings and value != []:
            raise ValueError("a list of strings is wanted")
        return spellings


def _spelling(item: object) -> str:
    if isinstance(item, dict):
        item = next((item[name] for name in _NAMES if isinstance(item.get(name), str)), None)
    return item if isinstance(item, str) else ""


class ModelTagger:
    """Tags by a chat model; threads may share it."""

    waits = True

    def __init__(self, model: ChatModel, *, ending: Ending) -> None:
        self._model = model
        self._ending = ending
        self._prompt = load_prompt("tag")
        digest = hashlib.sha256(self._prompt.encode()).hexdigest()[:12]
        self.fingerprint = f"llm {model.name}, prompt {digest}, {ending.fingerprint}"

    @property
    def calls(self) -> int:
        """Calls of the model so far."""
        return self._model.usage.calls

    def tags(self, text: str, *, title: str, tokens: int, notes: list[str] | None = None) -> tuple[Tag, ...]:
        """Return the tags of a chunk; see `Tagger.tags`."""
        choice = self._choice(text, title)
        spellings = [] if choice == [] else self._ask(text, title, tokens=tokens, choice=choice)
        proposed = self._ending.make([(spelling, None) for spelling in spellings], text=text, notes=notes)
        return self._ending.settle(proposed, text=text, title=title, tokens=tokens)

    def _choice(self, text: str, title: str) -> list[str] | None:
        """Return the tags that the model may choose among: None for any, none for a chunk without a word."""
        if not self._ending.normaliser.key(f"{title} {text}"):
            return []
        if self._ending.vocabulary is None:
            return None
        found = self._ending.vocabulary.find(text, title=title)
        return [one.display for one in found[: 2 * MOST_TAGS]]

    def _ask(self, text: str, title: str, *, tokens: int, choice: list[str] | None) -> list[str]:
        """Return the spellings the model gave that are in the chunk."""
        limit = self._ending.limit(tokens)
        ground = Ground(title, text, self._ending.normaliser)
        allowed = {self._ending.normaliser.key(spelling) for spelling in choice or ()}

        def kept(spellings: list[str]) -> list[str]:
            return [
                one
                for one in spellings
                if not too_long(one) and (ground.holds(one) or ground.key(one) in allowed)
            ]

        def check(reply: TagList) -> str:
            return "" if kept(reply.tags) or not reply.tags else "none of its tags is in the passage"

        try:
            reply = ask(
                self._model,
                self._messages(text, title, limit=limit, choice=choice),
                schema=TagList,
                max_tokens=TOKENS_A_REPLY + TOKENS_A_TAG * limit,
                check=check,
            )
        except UnusableReply as unusable:
            raise InputError(
                f"no tags for the chunk that begins {text.strip()[:40]!r}: {unusable.message}",
                hint=unusable.hint,
            ) from None
        # Those too long go on, to be left out where the user is told.
        return [spelling for spelling in reply.tags if too_long(spelling) or kept([spelling])]

    def _messages(
        self, text: str, title: str, *, limit: int, choice: list[str] | None
    ) -> tuple[Message, Message]:
        """Return the instructions, then the passage: what is the same for all chunks comes first."""
        lines = [f"List at most {limit} tags."]
        if choice:
            lines.append(f"Use only these tags, as they are spelled here: {'; '.join(choice)}")
        if title:
            lines.append(f"Title: {as_data(title, mark='title')}")
        lines.append(as_data(text, mark="passage"))
        return Message("system", self._prompt), Message("user", "\n".join(lines))


class Ground:
    """A chunk as tags are checked against it: their stems must stand in it, next to each other.

    Inflections differ, the stems do not. A tag spelled like a function word ("US") must stand in the text as
    it is spelled; one in a script without spaces may be any part of a run.
    """

    def __init__(self, title: str, text: str, normaliser: Normaliser) -> None:
        self._normaliser = normaliser
        parts = readable(title), readable(text)
        self._text = "\n".join(parts)
        stems = [" ".join(token.stem for token in normaliser.tokens(part)) for part in parts]
        self._stems = f" {stems[0]} {SEPARATOR} {stems[1]} "
        self._folded = normaliser.name(self._text)

    def key(self, spelling: str) -> str:
        """Return what a tag is matched on."""
        return self._normaliser.key(spelling)

    def holds(self, spelling: str) -> bool:
        """Tell whether the tag is in the text."""
        key, name = self._normaliser.key(spelling), self._normaliser.name(spelling)
        if not key or (name.isdigit() and len(name) < _FEWEST_DIGITS):
            return False
        if " " not in key and name in self._normaliser.function_words:
            return re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", self._text) is not None
        if f" {key} " in self._stems:
            return True
        return name.lower() == name.upper() and not name.isdigit() and name in self._folded
