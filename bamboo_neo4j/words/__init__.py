"""Word lists: which words of a language carry no meaning, and which say little."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_LONG = 200
"""A list of stopwordsiso up to this length holds little but function words (English has 1,298 there)."""

_SHORT = 3
"""Words up to this length in a longer list are nearly all function words."""


def function_words(code: str) -> frozenset[str]:
    """Return the function words of the language `code`, as written; nothing for an unknown language.

    A language without a short list of its own gets the list of stopwordsiso, from a long one only the words
    of up to three letters.
    """
    words = _read("function_words.txt").get(code)
    if words is not None:
        return words
    long = stop_words(code)
    return long if len(long) <= _LONG else frozenset(word for word in long if len(word) <= _SHORT)


def articles(code: str) -> frozenset[str]:
    """Return the articles of the language `code`, as written."""
    return _read("articles.txt").get(code, frozenset())


def stop_words(code: str) -> frozenset[str]:
    """Return the long list of stopwordsiso: function words and words that say little ("first", "world")."""
    import stopwordsiso  # reads half a megabyte

    return frozenset(stopwordsiso.stopwords(code)) if stopwordsiso.has_lang(code) else frozenset()


def languages_known() -> frozenset[str]:
    """Return the codes of the languages with a list of function words, our own or one of stopwordsiso."""
    import stopwordsiso

    return frozenset(stopwordsiso.langs()) | frozenset(_read("function_words.txt"))


def language_codes() -> frozenset[str]:
    """Return all codes of ISO 639-1: another one ("jp", "xx") is nearly always a slip."""
    return _all("languages.txt")


def months() -> frozenset[str]:
    """Return the names of the months, as written, in the languages that we know them in."""
    return _all("months.txt")


def months_of(code: str) -> frozenset[str]:
    """Return the names of the months of the language `code`, as written, if they are known."""
    return _read("months.txt").get(code, frozenset())


def abbreviations() -> frozenset[str]:
    """Return abbreviations whose point does not end a sentence, in lower case and without it."""
    return _all("abbreviations.txt")


def name_links() -> frozenset[str]:
    """Return words in lower case that stand inside names, between capitals ("of", "von")."""
    return _all("name_links.txt")


def name_starters() -> frozenset[str]:
    """Return words of the long stop lists that begin names all the same ("New York")."""
    return _all("name_starters.txt")


def openers() -> frozenset[str]:
    """Return words that open a sentence and are no part of the name after them ("Hey Ada")."""
    return _all("openers.txt")


def copulas(code: str) -> frozenset[str]:
    """Return the verbs of being of the language `code`, in lower case, that end the lead of a text."""
    return _read("copulas.txt").get(code, frozenset())


def roles() -> frozenset[str]:
    """Return titles and offices, in lower case, that stand before a person's name."""
    return _all("roles.txt")


def acronyms() -> frozenset[str]:
    """Return acronyms, in lower case, that are spelled like function words ("us", "who")."""
    return _all("acronyms.txt")


@cache
def _all(name: str) -> frozenset[str]:
    return frozenset().union(*_read(name).values())


@cache
def languages() -> dict[str, tuple[str, ...]]:
    """Return, for each function word of each language, the codes of the languages that have it."""
    found: dict[str, list[str]] = {}
    for code, members in _read("function_words.txt").items():
        for word in members:
            found.setdefault(word.lower(), []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _read(name: str) -> dict[str, frozenset[str]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return {code: frozenset(words) for code, *words in rows}
