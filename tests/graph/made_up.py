"""Made-up passages and questions about them: seeded, with hubs, shared titles, rare and common words."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST = ["Ada", "Bela", "Cato", "Dora", "Edda", "Finn", "Gwen", "Hugo", "Ines", "Jonas"]
_LAST = ["Karlo", "Lindt", "Mored", "Nivel", "Orban", "Pellar", "Quist", "Rudan", "Sefton", "Tavor"]
_PLACES = [f"{a}{b}" for a in ("Bor", "Dun", "Fel", "Gar") for b in ("burg", "holm", "mere", "wick")]
_STARTS = ["cop", "dul", "fen", "gol", "hab", "jur", "kap", "lan", "mir", "nod", "pul", "rem", "sot", "tor"]
_ENDS = ["ber", "cu", "dor", "gan", "lim", "mok", "pet", "ris", "tas", "vun"]
_NOUNS = [f"{a}{b}" for a in _STARTS for b in _ENDS]
_VERBS = ["painted", "sold", "carried", "mended", "measured", "counted", "described", "buried"]
_GENERIC = ["first", "world", "group", "three", "various", "area"]

NAMES = [f"{first} {last}" for first in _FIRST for last in _LAST]


def _common(pick: random.Random, names: Sequence[str]) -> str:
    """Draw a name as real texts do: a few stand everywhere, most are rare."""
    return names[min(int(pick.paretovariate(0.5)) - 1, len(names) - 1)]


def _sentence(pick: random.Random, subject: str) -> str:
    noun, other = pick.choice(_NOUNS), pick.choice(_NOUNS)
    words = f"{pick.choice(_VERBS)} the {noun} and the {pick.choice(_GENERIC)} {other}"
    return f"{subject} {words} in {_common(pick, _PLACES)} for {_common(pick, NAMES)}."


def passages(seed: int, count: int, *, titles: bool) -> list[Document]:
    """Return `count` documents of one chunk each; titles repeat, so that some tags are primary often."""
    pick = random.Random(seed)
    found = []
    for number in range(count):
        subject = pick.choice([_common(pick, NAMES), _common(pick, _PLACES), pick.choice(NAMES)])
        text = " ".join(
            _sentence(pick, pick.choice([subject, "He", "She"])) for _ in range(pick.randint(1, 4))
        )
        title = pick.choice([subject, f"{subject} (album)", subject]) if titles else ""
        lead = "" if titles else pick.choice(["", f"{subject} is a {pick.choice(_NOUNS)}. "])
        found.append(Document(f"p{number:04}", "", title, lead + text, "text/plain"))
    return found


def questions(seed: int, count: int) -> list[str]:
    """Return questions with names in capitals or not, words, generic and unknown words."""
    pick = random.Random(seed)
    found = []
    for _ in range(count):
        names = [_common(pick, [*NAMES, *_PLACES]), pick.choice([*NAMES, *_PLACES])][: pick.randint(0, 2)]
        if pick.random() < 0.3:
            names = [name.lower() for name in names]
        words = pick.sample(_NOUNS, pick.randint(1, 3)) + pick.sample(_GENERIC, pick.randint(0, 2))
        unknown = ["xyzzyva"] if pick.random() < 0.2 else []
        parts = [*names, pick.choice(_VERBS), *words, *unknown]
        pick.shuffle(parts)
        found.append(f"{pick.choice(['Who', 'which of them', 'Where'])} {' '.join(parts)}?")
    return found
