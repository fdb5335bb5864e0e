r"""Closed vocabularies: a file of the only tags a memory may use, and the other spellings of each.

One tag a line, ``canonical: alias, alias`` where it has some; lines that begin with # are comments.
The colon is one followed by a space, so ``C:`` and addresses are tags; ``\:`` is a colon of the tag itself.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file
from bamboo_neo4j.memorise.tag_list import too_long
from bamboo_neo4j.normalise import SEPARATOR, Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from bamboo_neo4j.normalise import Normaliser

_COLON = re.compile(r"(?<!\\):(?=\s)")
LARGEST = 64 * 1024 * 1024
"""Bytes of a vocabulary at most: it is read as a whole."""
_BREAK = Token(SEPARATOR, SEPARATOR, SEPARATOR, 0, 0)


@dataclass(frozen=True, slots=True)
class Found:
    """A tag of the vocabulary in a text: how often, and the number of the token where it first stands."""

    display: str
    count: int
    first: int


class Vocabulary:
    """The tags of a vocabulary by the keys of all their spellings.

    `digest` depends on what the vocabulary says, not on comments or the order of lines.
    """

    def __init__(self, spellings: Mapping[str, str], *, normaliser: Normaliser) -> None:
        self._spellings = dict(spellings)
        self._normaliser = normaliser
        self._longest = max((key.count(" ") + 1 for key in spellings), default=0)
        recipe = "\n".join(f"{key}\t{display}" for key, display in sorted(spellings.items()))
        self.digest = hashlib.sha256(recipe.encode()).hexdigest()[:12]

    def __len__(self) -> int:
        return len(set(self._spellings.values()))

    def canonical(self, key: str) -> str | None:
        """Return the tag that the vocabulary has for a spelling with this key, or None."""
        return self._spellings.get(key)

    def find(self, text: str, *, title: str = "") -> list[Found]:
        """Return the tags that stand in `title` and `text`, in any inflection.

        The most frequent comes first, then the earliest. The longest spelling wins where several begin, and
        none is found inside another. A spelling that is a function word ("US", "IT") counts only where the
        text writes it in capitals.
        """
        tokens = [*self._normaliser.tokens(title), _BREAK, *self._normaliser.tokens(text)]
        counts: dict[str, tuple[int, int]] = {}
        position = 0
        while position < len(tokens):
            display, width = self._at(tokens, position)
            if display:
                count, first = counts.get(display, (0, position))
                counts[display] = count + 1, first
            position += width
        found = [Found(display, count, first) for display, (count, first) in counts.items()]
        return sorted(found, key=lambda one: (-one.count, one.first, one.display))

    def _at(self, tokens: list[Token], position: int) -> tuple[str, int]:
        """Return the tag that begins at this token and the number of tokens to go on by."""
        for width in range(min(self._longest, len(tokens) - position), 0, -1):
            stretch = tokens[position : position + width]
            display = self._spellings.get(" ".join(token.stem for token in stretch))
            if display and (width > 1 or not self._is_ordinary(stretch[0])):
                return display, width
        return "", 1

    def _is_ordinary(self, token: Token) -> bool:
        return token.folded in self._normaliser.function_words and not token.text.isupper()


def read_vocabulary(path: Path, *, normaliser: Normaliser) -> Vocabulary:
    """Read a vocabulary from a file in UTF-8, with or without a byte order mark.

    Raises:
        InputError: the file cannot be read, is empty, or a line of it is no tag; it names the line.

    """
    spellings: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(_read(path).splitlines(), 1):
        where = f"{str(path)!r}, line {number}"
        for spelling, display in _entries(line, where=where):
            key = _key(spelling, normaliser=normaliser, where=where)
            if spellings.setdefault(key, display) != display:
                raise InputError(
                    f"{where}: {spelling!r} is already a spelling of {spellings[key]!r} (line {lines[key]})",
                    hint="a spelling may belong to one tag only",
                )
            lines.setdefault(key, number)
    if not spellings:
        raise InputError(f"the vocabulary {str(path)!r} holds no tag", hint="write one tag a line")
    return Vocabulary(spellings, normaliser=normaliser)


def _read(path: Path) -> str:
    require_file(path, "the vocabulary", most=LARGEST)
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"the vocabulary {str(path)!r} cannot be read: {reason}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{str(path)!r}, line {number} is not UTF-8", hint="save the file as UTF-8"
        ) from None


def _entries(line: str, *, where: str) -> Iterator[tuple[str, str]]:
    """Yield (spelling, canonical tag) for each spelling of a line."""
    if not line.strip() or line.lstrip().startswith("#"):
        return
    head, *rest = _COLON.split(f"{line.strip()} ", maxsplit=1)
    canonical = " ".join(head.replace("\\:", ":").split())
    aliases = [alias.strip() for alias in rest[0].replace("\\:", ":").split(",")] if rest else []
    if not canonical:
        raise InputError(f"{where} names no tag before its colon")
    yield canonical, canonical
    for alias in filter(None, aliases):
        yield alias, canonical


def _key(spelling: str, *, normaliser: Normaliser, where: str) -> str:
    excess = too_long(spelling)
    if excess:
        raise InputError(f"{where}: the tag {spelling[:40]!r}… is too long: {excess}")
    key = normaliser.key(spelling)
    if not key:
        raise InputError(f"{where}: {spelling!r} holds no letter, digit or symbol to match on")
    return key
