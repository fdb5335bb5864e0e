"""Proving that the numbers of a file agree with its chunks, in one pass and constant memory.

The weights of the edges must be the number of chunks that hold both tags. Each tag gets a random element
of a field; the sum over all chunks of the products of their pairs of elements, less the sum over all edges
of weight times product, is a polynomial of degree two in random variables. Where every weight is right it is
zero; where one is wrong it is zero with probability 2/P at most (Schwartz 1980, Zippel 1979). The same with
degree one for words. The elements come from a key drawn for each run, so no file can be made to fit.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

P = 2**127 - 1
"""A prime: the field is the integers modulo P."""


class Agreement:
    """Sums over the chunks of a file less what its edges and words say of them."""

    def __init__(self) -> None:
        key = secrets.token_bytes(32)

        @lru_cache(maxsize=100_000)
        def element(name: str) -> int:
            return int.from_bytes(hashlib.blake2b(name.encode(), key=key, digest_size=24).digest()) % P

        self._element = element
        self._pairs = 0
        self._words = 0
        self.chunks = 0
        self.terms = 0

    def chunk(self, *, tags: Iterable[str], terms: Iterable[str], length: int) -> None:
        """Count a chunk with its tags and different terms."""
        elements = [self._element(key) for key in tags]
        total = sum(elements)
        # twice the sum of x·y over all pairs is (Σx)² − Σx²
        self._pairs += total * total - sum(element * element for element in elements)
        self._words += sum(self._element(term) for term in terms)
        self.chunks += 1
        self.terms += length

    def edge(self, first: str, second: str, *, weight: int) -> None:
        """Take an edge off."""
        self._pairs -= 2 * weight * self._element(first) * self._element(second)

    def word(self, name: str, df: int) -> None:
        """Take a word off."""
        self._words -= df * self._element(name)

    @property
    def weights_agree(self) -> bool:
        """Whether every weight so far is the number of chunks with both tags, and no pair is missing."""
        return self._pairs % P == 0

    @property
    def words_agree(self) -> bool:
        """Whether every document frequency is the number of chunks with the word, and no word is missing."""
        return self._words % P == 0
