"""Languages: their codes, names and stemmers."""

from __future__ import annotations

import importlib
from typing import Protocol

from bamboo_neo4j import words
from bamboo_neo4j.errors import UsageError

ALGORITHMS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "fa": "persian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_NAMES = {name: code for code, name in ALGORITHMS.items()} | {
    "nb": "no", "nn": "no", "chinese": "zh", "japanese": "ja", "korean": "ko", "thai": "th", "hebrew": "he",
    "ukrainian": "uk", "bulgarian": "bg", "croatian": "hr", "slovak": "sk", "slovenian": "sl",
    "vietnamese": "vi", "bengali": "bn", "urdu": "ur", "latin": "la",
    "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt",
    "rus": "ru", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "nld": "nl", "dut": "nl", "tur": "tr",
    "ara": "ar", "pol": "pl", "swe": "sv", "nob": "no", "nor": "no", "dan": "da", "fin": "fi", "ces": "cs",
}  # fmt: skip


def code_of(language: str) -> str:
    """Return the ISO code of a language: of "de", "de-AT", "deu" or "German"; UsageError if it is none."""
    code = language.strip().lower().replace("_", "-").partition("-")[0]
    code = _NAMES.get(code, code)
    if code not in words.language_codes():
        known = ", ".join(sorted(ALGORITHMS.keys() | words.languages_known()))
        raise UsageError(
            f"{language[:40]!r} is no language",
            hint=f"use an ISO 639-1 code; those with a stemmer or word lists are {known}",
        )
    return code


class Stemmer(Protocol):
    """What snowballstemmer gives; not safe for threads."""

    def stemWord(self, word: str) -> str:  # noqa: N802
        """Return the stem of a word in lower case."""


def stemmer_of(algorithm: str) -> Stemmer:
    """Return a stemmer of snowballstemmer."""
    # Not snowballstemmer.stemmer(): that one prefers PyStemmer where it is installed, whose stems may differ.
    module = importlib.import_module(f"snowballstemmer.{algorithm}_stemmer")
    stemmer: Stemmer = getattr(module, f"{algorithm.capitalize()}Stemmer")()
    return stemmer
