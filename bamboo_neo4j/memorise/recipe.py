"""Make the recipe of an ingest from the options that a user gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from bamboo_neo4j.memorise.chunking import MAXIMUM, MINIMUM, check_limits
from bamboo_neo4j.memorise.preparing import Recipe
from bamboo_neo4j.memorise.tagging import find_tagger

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.language_models import BaseChatModel

    from bamboo_neo4j.models.chat import ChatModel
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.settings import Settings


class RecipeOptions(TypedDict, total=False):
    """The options that decide chunks and tags; see `Memory.ingest`."""

    tagger: str
    vocabulary: Path | None
    tags: int | None
    chunk_tokens: tuple[int, int]
    model: ChatModel | BaseChatModel | None


class IngestOptions(RecipeOptions, total=False):
    """The options that `ingest`, `remember` and `plan` share; see `Memory.ingest`."""

    language: str | None


def make_recipe(
    memory: str,
    words: Normaliser,
    *,
    settings: Settings,
    tagger: str = "rules",
    vocabulary: Path | None = None,
    tags: int | None = None,
    chunk_tokens: tuple[int, int] = (MINIMUM, MAXIMUM),
    model: ChatModel | BaseChatModel | None = None,
) -> Recipe:
    """Return the recipe; raises UsageError for limits or a tagger that cannot be, before any work."""
    minimum, maximum = chunk_tokens
    check_limits(minimum, maximum)
    chosen = find_tagger(
        tagger, normaliser=words, settings=settings, limit=tags, vocabulary=vocabulary, model=model
    )
    return Recipe(memory, words, chosen, minimum, maximum)
