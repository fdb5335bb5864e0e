"""What the processes of a random schedule do, and what they must hear.

Four documents are everybody's: several processes change them at once. One document a process is its own, with
names that stand nowhere else: of that one the process knows at each moment whether it is there, so what it
hears when it forgets or recalls it is right or wrong. Only a step that was killed or failed leaves that open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.faults.worker import CAPITALS, Step

if TYPE_CHECKING:
    import random

NAMES = ("Ada Kern", "Leo Brandt", "Port Linnet", "Mira Solen", "Quay Nine", "the Green Tower")
OWN = ("Orla Venn", "Tove Rask", "Ilmar Quist")
TITLES = ("", "Letters from Port Linnet")
TAGGERS = ("rules", CAPITALS)
SHARED = 4
LONG = 230
"""Sentences of a long text, a chunk each: more than one transaction takes back."""
WORKERS = len(OWN)
STEPS = 6

BEING_WRITTEN = (
    "is being forgotten",
    "being indexed anew",
    "written to",
    "another process keeps changing it",
    "another program indexes the memory",
)
AWAY = ("cannot reach", "broke while committing", "gave no routing information", "stood in the way")
"""What may be said when others forget, index or write, or when connections are cut."""


def text_of(choose: random.Random, *, own: str = "", long: bool = False) -> str:
    """Make up a text that shares names with others; with `own` each sentence names that one too."""
    sentences = []
    for _ in range(LONG if long else choose.randint(1, 6)):
        one, two = choose.sample(NAMES, 2)
        letter = " and wrote a long letter about the weather of that year" if long else ""
        sentences.append(f"{own or one} met {two} in {choose.randint(1900, 1910)}{letter}.")
    return "\n\n".join(sentences) if long else " ".join(sentences)


@dataclass(frozen=True, slots=True)
class Kind:
    """What happens in a schedule: whether the whole is forgotten, and whether it is indexed anew."""

    forgetting: bool
    reindexing: bool

    @classmethod
    def of(cls, number: int) -> Kind:
        """Return the kind of schedule `number`: one in five forgets the whole, one in seven indexes anew."""
        return cls(forgetting=number % 5 == 4, reindexing=number % 7 == 3)


def plan_of(choose: random.Random, worker: int, kind: Kind) -> list[Step]:
    """Return the steps of one process."""
    weights = {
        "ingest": 8.0,
        "forget": 3.0,
        "recall": 2.0,
        "export": 0.5,
        "check": 0.5,
        "forget all": 0.7 if kind.forgetting else 0.0,
        "reindex": 0.7 if kind.reindexing else 0.0,
    }
    return [
        _step(choose, worker, do) for do in choose.choices(list(weights), list(weights.values()), k=STEPS)
    ]


def _step(choose: random.Random, worker: int, do: str) -> Step:
    own = OWN[worker] if choose.random() < 0.4 else ""
    long = do == "ingest" and choose.random() < 0.04
    return {
        "do": do,
        "document": f"own{worker}" if own else f"d{choose.randrange(SHARED)}",
        "own": own,
        "text": f"Where is {own}?" if own and do == "recall" else text_of(choose, own=own, long=long),
        "size": "long" if long else "short",
        "title": choose.choice(TITLES),
        "tagger": choose.choice(TAGGERS),
    }


class Expectation:
    """What one process must hear of its own document; `there` is None while that is open."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._there: bool | None = False

    def judge(self, step: Step, outcome: str, text: str) -> str:
        """Return what was wrong with the answer to a step, or ""."""
        wrong = self._of_any(step, outcome, text)
        if not wrong and step["own"] and not self._kind.forgetting:
            wrong = self._of_own(step, outcome, text)
        if step["own"]:
            self._note(step, outcome)
        return wrong and f"{step['do']} of {step['document']}: {wrong}"

    def _of_any(self, step: Step, outcome: str, text: str) -> str:
        if outcome in {"crashed", "wrong"}:
            return text
        if outcome == "failed" and not any(part in text for part in BEING_WRITTEN + AWAY):
            return f"failed with {text!r}"
        if outcome == "not found" and step["do"] != "forget" and "there is no memory" not in text:
            return f"not found: {text!r}"
        return ""

    def _of_own(self, step: Step, outcome: str, text: str) -> str:
        if step["do"] == "forget" and self._there and outcome == "not found":
            return "it was there and was not found"
        if step["do"] == "forget" and self._there is False and outcome == "done":
            return "it was forgotten and was not there"
        recalled = step["document"] in text.split()
        if step["do"] == "recall" and outcome == "done" and self._there not in {None, recalled}:
            return f"recalled {recalled}, there {self._there}"
        return ""

    def _note(self, step: Step, outcome: str) -> None:
        if step["do"] == "ingest":
            self._there = True if outcome == "done" else None
        elif step["do"] == "forget":
            self._there = False if outcome in {"done", "not found"} else None
