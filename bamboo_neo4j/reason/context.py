"""Context: what a model is shown of the evidence, under a budget of tokens, the strongest first.

Passages and facts are data: each stands between marks that it cannot close, under a label to cite it by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.models.prompting import as_data

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from bamboo_neo4j.reason.asked import Question
    from bamboo_neo4j.reason.retrieval import Candidate, Fit

MOST_PASSAGES = 8
"""Passages that one question is answered from; recall finds nearly all gold among the first five."""
MOST_FACTS = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """What is shown, each as it is shown, and how many candidates did not fit into the budget."""

    parts: tuple[tuple[Fit, str], ...]
    cut: int = 0

    @property
    def shown(self) -> tuple[Fit, ...]:
        """The candidates that are shown."""
        return tuple(fit for fit, _ in self.parts)

    @property
    def text(self) -> str:
        """The text that is shown."""
        return "\n\n".join(text for _, text in self.parts)

    def around(self, labels: Collection[str]) -> str:
        """Return the text with the candidates of `labels` as they are, every other by its best sentence."""
        return "\n\n".join(
            text if fit.candidate.label in labels else _forms(fit)[-1] for fit, text in self.parts
        )


def lay_out(fits: Sequence[Fit], *, budget: int, count: Callable[[str], int]) -> Layout:
    """Choose what is shown: at most `MOST_PASSAGES` and `MOST_FACTS`, together at most `budget` tokens.

    A passage that does not fit as a whole is shown by the sentence that fits the question best; else it is
    skipped, and the next one tried. They are shown in the order of their labels, so that questions of one
    map begin alike.
    """
    chosen: list[tuple[Fit, str]] = []
    left, cut = budget, 0
    room = {True: MOST_FACTS, False: MOST_PASSAGES}
    for fit in fits:
        is_fact = fit.candidate.fact is not None
        if not room[is_fact]:
            continue
        text = next((text for text in _forms(fit) if count(text) <= left), None)
        if text is None:
            cut += 1
            continue
        cut += not is_fact and text != _forms(fit)[0]
        left -= count(text)
        room[is_fact] -= 1
        chosen.append((fit, text))
    chosen.sort(key=lambda one: one[0].candidate.place)
    return Layout(tuple(chosen), cut)


def _forms(fit: Fit) -> list[str]:
    """Return a candidate as it may be shown, the longest form first."""
    one = fit.candidate
    if one.chunk is None:
        return [f"[{one.label}] a stated fact:\n{as_data(fit.sentence, mark='passage')}"]
    return [_passage(one, one.chunk.text), _passage(one, fit.sentence)]


def _passage(one: Candidate, text: str) -> str:
    title = f"{' '.join(one.title.split())}\n" if one.title else ""
    return f"[{one.label}]\n{as_data(title + text, mark='passage')}"


def known_answers(questions: Sequence[Question]) -> str:
    """Return answered questions as text, each under its label A and its place; "" for none."""
    return "\n\n".join(
        f"[A{one.number}]\n" + as_data(f"Question: {one.asked}\nAnswer: {one.answer}", mark="answered")
        for one in questions
    )
