"""Words of scripts without spaces: by a segmenter, or pairs of neighbouring characters."""

from __future__ import annotations

import importlib
import unicodedata
import warnings
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterator


def pairs(run: str) -> Iterator[tuple[int, int]]:
    """Give the spans of neighbouring characters, two by two; marks belong to the character before them."""
    starts = [index for index, character in enumerate(run) if not index or not _is_mark(character)]
    ends = [*starts[1:], len(run)]
    if len(starts) == 1:
        yield 0, len(run)
    yield from zip(starts, ends[1:], strict=False)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in "\uff9e\uff9f"


def segmented(run: str) -> Iterator[tuple[int, int]]:
    """Give the spans of the words that jieba finds."""
    return ((start, end) for _, start, end in _jieba().tokenize(run))


class _Segmenter(Protocol):
    def tokenize(self, text: str) -> Iterator[tuple[str, int, int]]: ...
    def setLogLevel(self, level: str) -> None: ...  # noqa: N802


@cache
def _jieba() -> _Segmenter:
    with warnings.catch_warnings(action="ignore"):  # it is an old package
        jieba = cast("_Segmenter", importlib.import_module("jieba"))
    jieba.setLogLevel("WARNING")
    return jieba
