"""Reading a chunk: its markup taken away, cut into sentences and words."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bamboo_neo4j import words as word_lists
from bamboo_neo4j.normalise import UNSPACED, combining_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

BREAK = "\n"
"""What stands in a cleaned text where a sentence must end."""

PAUSE = " ; "
"""What stands where no name or phrase may reach across."""

_MARKUP = (
    (re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)"), BREAK),  # fenced code
    (re.compile(r"(?s)<!--.{0,5000}?-->|<(script|style)\b.{0,5000}?</\1>"), BREAK),
    (re.compile(r"</?[a-zA-Z][^<>]{0,500}>"), " "),  # HTML
    (re.compile(r"\{\{[^\n]{0,200}?\}\}+|\{\s?[*#%:.][^{}\n]{0,200}\}"), PAUSE),  # templates
    (re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}(?:\s+\"[^\"\n]*\")?\)"), r"\1"),  # Markdown links
    (
        re.compile(
            r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://\S+|\bwww\.\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}"
        ),
        PAUSE,
    ),  # URLs, mail
    (re.compile(r"(?<!\w)(?:~|\.{0,2})/[\w.~-][^\s,;)\"'`]*"), PAUSE),  # paths
    (re.compile(r"(?<!\S)--?\w[\w-]*"), PAUSE),  # options of commands
    (re.compile(r"`+([^`\n]*)`+"), lambda match: f'"{match[1]}"'),  # code in a sentence
    (
        re.compile(
            r"(?m)^[ \t]*(?:#{1,6}|>+|[-*+•]|\d{1,3}[.)]|/{3}\w*)[ \t]+|^[ \t]*[-=*_~^|+:]{3,}[ \t]*$"
        ),
        BREAK,
    ),
    (re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~"), ""),  # emphasis
    (re.compile(r"&(?:[a-z]{2,8}|#\d{1,6});"), " "),
    (re.compile(r"\|"), BREAK),  # tables
)
_HINTS = re.compile(r"[`<{\[*#>|~_&@/]|(?<!\S)-|^[ \t]*(?:[-+•]|\d{1,3}[.)])[ \t]|^[-=^]{3,}", re.MULTILINE)

_SUFFIXED = re.compile(r"(?<=[A-Za-z0-9])(?=[\uac00-\ud7a3])")
"""Korean hangs its particles on Latin words, too."""

_ENDLESS = re.compile(r"\S{50,}")
"""No word of a cased language is as long; a run without spaces in another script is kept."""

_WRAPPED = 60
"""A line of at least this length is taken to go on in the next one."""


class Word(NamedTuple):
    """A word of a sentence: as written, in lower case, and what stands before it (" " inside a name).

    `capital` tells whether it is written like a name, `label` whether a colon follows.
    """

    text: str
    lower: str
    gap: str
    start: int
    capital: bool
    label: bool = False


def plain(text: str) -> str:
    """Return `text` without Markdown, HTML, URLs, paths and endless runs."""
    if _HINTS.search(text):
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
    return _ENDLESS.sub(_shorten, _SUFFIXED.sub(" ", text))


def _shorten(match: re.Match[str]) -> str:
    run = match[0]
    return run if not run.isascii() and unspaced().search(run) else BREAK


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Give the sentences of a plain text with where they start.

    One ends at ``.!?。！？`` before a space and a capital (not after an initial or "Dr."), and at a
    line's end unless the line is long and plainly goes on in the next.
    """
    start = 0
    for match in _sentence_end().finditer(text):
        if _goes_on(text, start, match):
            continue
        if match.start() > start:
            yield start, text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield start, text[start:]


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    end = match[0]
    if "\n" in end:
        line = max(text.rfind("\n", 0, match.start()) + 1, start)
        after = text[match.end() : match.end() + 1]
        wrapped = match.start() - line >= _WRAPPED and end.count("\n") == 1
        return wrapped and end[0] == "\n" and after.isalnum()
    if not end.startswith("."):
        return False
    before = text[max(start, match.start() - 12) : match.start()].split()
    last = before[-1].lstrip("(\"'“") if before else ""
    if last.isdigit() and len(last) <= 2:  # noqa: PLR2004 - a day, as in "3. März"
        month = re.match(r"\w+", text[match.end() :])
        return month is not None and month[0] in word_lists.months()
    initial = len(last) == 1 and last.isupper() and last != "I"
    return initial or last.lower() in word_lists.abbreviations() or bool(re.fullmatch(r"(?:\w\.)+\w", last))


@cache
def _sentence_end() -> re.Pattern[str]:
    closing = "[\"'”’»)\\]]*"
    return re.compile(
        rf"(?<![ \t])[ \t]*\n\s*|(?<![.!?…])[.!?…]+{closing}\s+(?=[^\s\W]|[\"'“‘«(¿¡\[])"
        r"|[。！？｡]+[」』”）]*\s*"
    )


def words(sentence: str, start: int = 0) -> list[Word]:
    """Return the words of a sentence; ``-–'’&.`` inside a word belong to it, so do initials' points."""
    found = []
    last = 0
    for match in _word().finditer(sentence):
        gap = sentence[last : match.start()]
        last = match.end()
        begin, text = start + match.start(), match[0]
        elided = None if text.isalnum() else _ELIDED.match(text)
        if elided:
            found.append(_word_of(elided[0], gap, begin))
            gap, begin, text = "", begin + elided.end(), text[elided.end() :]
        found.append(_word_of(text, gap, begin, label=sentence[last : last + 1] in _COLONS))
    return found


def _word_of(text: str, gap: str, start: int, *, label: bool = False) -> Word:
    lower = text.lower()
    capital = text != lower and (text[0].isupper() or (text[0].islower() and not text[1:3].islower()))
    return Word(text, lower, " " if gap.isspace() else gap, start, capital, label)


_COLONS = frozenset(":：")
_ELIDED = re.compile(r"(?:[dl]|[cjmnst]|qu|dell|nell|dall|sull|all|un|jusqu|lorsqu|puisqu)['’](?=\w{2})")
"""Articles and prepositions of French and Italian that have lost their vowel."""


@cache
def _word() -> re.Pattern[str]:
    letter = rf"[\w{combining_marks()}]"
    return re.compile(
        rf"(?:[^\W\d_]\.){{2,}}|[^\W\d_]\.(?=\s?[^\W\d_])(?<![\w]{letter}\.)|\d+(?:[.,]\d+)+"
        rf"|{letter}+(?:[-–'’&.]{letter}+)*(?:\+\+|\#)?"
    )


@cache
def unspaced() -> re.Pattern[str]:
    """Return a pattern of runs in scripts that are written without spaces."""
    return re.compile(f"[{UNSPACED}]+")
