"""How alike two texts are: token-set ratio of their stems, or the cosine of embeddings."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ModelError
from bamboo_neo4j.models.secrets import scrub

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.embeddings import Embeddings

    from bamboo_neo4j.normalise import Normaliser

    Similarity = Callable[[str, str], float]
    """Two texts to a number in [0, 1]; 1 where one says all that the other says."""

_REMEMBERED = 4_096


def lexical(words: Normaliser) -> Similarity:
    """Return the similarity by words: RapidFuzz's token-set ratio of the stems without function words.

    It is 1 where all words of one text stand in the other, and 0 where either holds no word.
    """
    from rapidfuzz import fuzz

    @lru_cache(maxsize=_REMEMBERED)
    def stems(text: str) -> str:
        return " ".join(words.terms(text))

    def similarity(one: str, other: str) -> float:
        return fuzz.token_set_ratio(stems(one), stems(other)) / 100

    return similarity


def semantic(embeddings: Embeddings) -> Similarity:
    """Return the cosine of LangChain embeddings, 0 where it is negative; each text is embedded once.

    The similarity raises ModelError where the embeddings fail.
    """

    @lru_cache(maxsize=_REMEMBERED)
    def vector(text: str) -> tuple[float, ...]:
        try:
            return tuple(embeddings.embed_query(text))
        except Exception as error:  # noqa: BLE001 - each integration has errors of its own
            shown = " ".join(scrub(str(error)[:20_000]).split())[:200]
            raise ModelError(f"the embeddings failed: {type(error).__name__}: {shown}") from None

    def similarity(one: str, other: str) -> float:
        return cosine(vector(one), vector(other)) if one.strip() and other.strip() else 0.0

    return similarity


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the cosine of two vectors, at least 0 and at most 1; 0 where one is all zeros or no numbers."""
    lengths = math.hypot(*one) * math.hypot(*other)
    product = sum(a * b for a, b in zip(one, other, strict=True))
    value = product / lengths if lengths else 0.0
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
