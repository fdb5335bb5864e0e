"""Measures of retrieval and of short answers, each the published one."""

from __future__ import annotations

import re
import string
from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

DEPTHS = (2, 5, 10, 20)
"""The k of R@k; nothing below the last is looked at."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"\w+")
_NO_ANSWER = frozenset(
    (
        "",
        "i dont know",
        "i do not know",
        "dont know",
        "do not know",
        "unknown",
        "not known",
        "none",
        "null",
        "na",
        "no answer",
        "not stated",
        "not given",
        "not mentioned",
        "not available",
        "not specified",
        "cannot be determined",
        "insufficient information",
    )
)
"""What models write for an abstention, normalised; an answer that begins with "I don't know" is one too."""
_YES_OR_NO = frozenset(("yes", "no"))
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one method found for one question: passage ids, best first, their tokens, and the time it took."""

    ids: tuple[str, ...]
    tokens: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The means over some questions: shares in [0, 1], `tokens` a question, `milliseconds` the median.

    `nothing` is the number of questions for which nothing was found; they count as 0 in every share.
    """

    questions: int
    nothing: int
    recall: dict[int, float]
    all_recall: float
    tokens: float
    milliseconds: float


def recall_at(ranked: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Return the share of `gold` among the first `k` of `ranked`, in [0, 1]; `gold` is not empty."""
    return len(set(ranked[:k]) & set(gold)) / len(set(gold))


def all_recall_at(ranked: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Return 1 if every one of `gold` is among the first `k` of `ranked`, else 0."""
    return float(set(gold) <= set(ranked[:k]))


def score_retrieval(asked: Sequence[tuple[Collection[str], Ranked]]) -> Scores:
    """Average over pairs of gold and what was found; there is at least one pair."""
    return Scores(
        questions=len(asked),
        nothing=sum(not found.ids for _, found in asked),
        recall={k: fmean(recall_at(found.ids, gold, k=k) for gold, found in asked) for k in DEPTHS},
        all_recall=fmean(all_recall_at(found.ids, gold, k=5) for gold, found in asked),
        tokens=fmean(found.tokens for _, found in asked),
        milliseconds=median(found.milliseconds for _, found in asked),
    )


def normalise_answer(text: str) -> str:
    """Lower-case, drop ASCII punctuation, drop the words a, an and the, squeeze white space (SQuAD)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, answers: Iterable[str]) -> float:
    """Return 1 if `answer` equals one of `answers` once both are normalised, else 0."""
    return float(normalise_answer(answer) in set(map(normalise_answer, answers)))


def token_f1(answer: str, answers: Iterable[str]) -> float:
    """Return the best F1 of the bags of tokens of `answer` and each of `answers`, in [0, 1] (SQuAD).

    Two answers without a token (both empty once normalised) are equal: 1.
    """
    return max((_bag_f1(normalise_answer(answer), normalise_answer(each)) for each in answers), default=0.0)


def _bag_f1(left: str, right: str) -> float:
    if not left or not right:
        return float(left == right)
    ours, theirs = Counter(left.split()), Counter(right.split())
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total())


def rouge_l(answer: str, answers: Iterable[str]) -> float:
    """Return the best Rouge-L of `answer` and each of `answers`, in [0, 1].

    The F-measure (β = 1) of the longest common subsequence of lower-cased words (Lin 2004, equations 2 to 4
    over one sentence). Two answers without a word are equal: 1.
    """
    ours = _WORD.findall(answer.lower())
    return max((_lcs_f1(ours, _WORD.findall(each.lower())) for each in answers), default=0.0)


def _lcs_f1(left: Sequence[str], right: Sequence[str]) -> float:
    if not left or not right:
        return float(left == right)
    row = [0] * (len(right) + 1)
    for word in left:
        before = row
        row = [0]
        for place, other in enumerate(right):
            row.append(before[place] + 1 if word == other else max(row[place], before[place + 1]))
    return 2 * row[-1] / (len(left) + len(right))


def stands_in(text: str, answers: Iterable[str]) -> bool:
    """Say whether one of `answers` stands in `text` as whole words, both normalised; an empty one does not.

    A text in a script without spaces is one word: it is searched for the answer as it is.
    """
    padded = f" {normalise_answer(text)} "
    wanted = filter(None, map(normalise_answer, answers))
    return any(f" {each} " in padded or (not each.isascii() and each in padded) for each in wanted)


def is_abstention(answer: str) -> bool:
    """Say whether `answer` is none: empty, "I don't know", "unknown" and the like."""
    plain = normalise_answer(answer.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return plain in _NO_ANSWER or plain.startswith(("i dont know", "i do not know"))


def is_right(answer: str, answers: Sequence[str]) -> bool:
    """Say, without a judge, whether `answer` is right: it is one of `answers`, or holds one as whole words.

    "Yes" and "no" must begin the answer, since either word may stand anywhere in a sentence. An answer that
    holds a right one among wrong ones passes: `exact_match` is the strict measure, a judge the careful one.
    """
    if exact_match(answer, answers):
        return True
    if _YES_OR_NO & set(map(normalise_answer, answers)):
        return normalise_answer(answer).partition(" ")[0] in set(map(normalise_answer, answers))
    return stands_in(answer, answers)
