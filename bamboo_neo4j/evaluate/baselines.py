"""Baselines: what plain BM25, and cosine over any LangChain `Embeddings`, find in the same passages."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from bamboo_neo4j.errors import InputError, MissingExtra, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from langchain_core.embeddings import Embeddings

    from bamboo_neo4j.evaluate.datasets import Passage

Ranker = Callable[[str, int], list[str]]
"""Takes a question and k; gives the ids of the k best passages, best first, ties in the order of the pool."""

Progress = Callable[[int], None]
"""Is told the number of passages or questions done since the last call."""

K1, B = 1.2, 0.75
"""The constants of BM25 that Lucene has too."""

_WORD = re.compile(r"\w+")
_BATCH = 64


def quiet(_done: int) -> None:
    """Show no progress."""


def words(text: str) -> list[str]:
    """Return the lower-cased words of `text`: no stemming, no stop words."""
    return _WORD.findall(text.lower())


def bm25(passages: Sequence[Passage]) -> Ranker:
    """Index `passages` by BM25 (k1 1.2, b 0.75); a passage that shares no word with a question is not found.

    Raises MissingExtra without the packages of the extra `eval`.
    """
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtra("bm25s", extra="eval", purpose="the baseline BM25") from error
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    index.index([words(each.content) for each in passages], show_progress=False)
    ids = [each.id for each in passages]

    def rank(question: str, k: int) -> list[str]:
        asked = [word for word in words(question) if word in index.vocab_dict]
        return _best(index.get_scores(asked), ids, k=k, floor=0.0) if asked else []

    return rank


def dense(
    passages: Sequence[Passage],
    embeddings: Embeddings,
    *,
    progress: Progress = quiet,
) -> Ranker:
    """Embed `passages` and rank them by the cosine of their vector and the question's.

    Raises MissingExtra without numpy, InputError for embeddings that give no vectors of one length.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", extra="eval", purpose="the dense baseline") from error
    vectors: list[list[float]] = []
    for start in range(0, len(passages), _BATCH):
        batch = [each.content for each in passages[start : start + _BATCH]]
        vectors += embeddings.embed_documents(batch)
        progress(len(batch))
    matrix = _unit(np, vectors, rows=len(passages))
    ids = [each.id for each in passages]

    def rank(question: str, k: int) -> list[str]:
        return _best(matrix @ _unit(np, [embeddings.embed_query(question)], rows=1)[0], ids, k=k)

    return rank


def load_embeddings(name: str) -> Embeddings:
    """Import `module:attribute`: an instance of LangChain's `Embeddings`, or what makes one when called.

    Raises UsageError where that is not possible.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise UsageError(f"{name!r} names no embeddings", hint="write module:attribute")
    try:
        found = getattr(import_module(module), attribute)
        made = found() if callable(found) and not _embeds(found) else found
    except Exception as error:
        raise UsageError(
            f"the embeddings {name!r} cannot be loaded: {error!r}",
            hint="write module:attribute, with the module on PYTHONPATH or in the current folder",
        ) from error
    if not _embeds(made):
        raise UsageError(
            f"{name!r} is a {type(made).__name__}, no embeddings",
            hint="give an object with embed_documents and embed_query, or a function that makes one",
        )
    return cast("Embeddings", made)


def _embeds(value: Any) -> bool:  # noqa: ANN401  what a user's module holds can be anything
    methods = (getattr(value, name, None) for name in ("embed_documents", "embed_query"))
    return not isinstance(value, type) and all(map(callable, methods))


def _best(scores: np.ndarray, ids: list[str], *, k: int, floor: float = float("-inf")) -> list[str]:
    order = (-scores).argsort(kind="stable")[:k]
    return [ids[place] for place in order if scores[place] > floor]


def _unit(np: Any, vectors: list[list[float]], *, rows: int) -> Any:  # noqa: ANN401  numpy is optional
    """Scale each vector to length 1 (a zero vector stays zero), so that a dot product is the cosine."""
    try:
        matrix = np.asarray(vectors, dtype=np.float32).reshape(rows, -1)
    except ValueError as error:
        raise InputError(
            f"the embeddings gave no {rows} vectors of one length", hint="check the embedding model"
        ) from error
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths == 0, 1, lengths)
