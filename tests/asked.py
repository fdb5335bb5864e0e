"""A question as it is once asked: a mind map of three questions with answers, made up for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bamboo_neo4j.reason.asked import Asked, Evidence, Keys, LocalKeys, MindMap, Question, Spent

if TYPE_CHECKING:
    from bamboo_neo4j.records import RecalledChunk

QUESTION = "Where was the engineer who built the Green Lantern Mill born?"


def made_up(memory: str, *, name: str = "map1", chunks: tuple[RecalledChunk, ...] = ()) -> Asked:
    """Return an answered question of `memory` whose parts rest on `chunks`, one each, the root on all."""
    cited = [
        Evidence(f"E{number}", "chunk", each.id, each.text, 0.9, "mill", each.document, each.title)
        for number, each in enumerate(chunks, start=1)
    ]
    stated = Evidence("F1", "fact", f"{memory}:f", "Orla Venn - trade - engineer", 0.8, "engineer")
    base = f"{memory}:{name}"
    root = Question(
        f"{base}q1", "1", QUESTION, 0, 1, "Continue",
        asked=QUESTION, answer="Port Ashby", verdict="verified", reason="both parts agree",
        evidence=tuple(cited),
    )  # fmt: skip
    first = Question(
        f"{base}q2", "1.1", "Who built the Green Lantern Mill?", 1, 1, "End", ending="direct", parent=root.id,
        asked="Who built the Green Lantern Mill?", answer="Orla Venn", verdict="verified",
        evidence=(stated, *cited[:1]), rethinks=1,
    )  # fmt: skip
    second = Question(
        f"{base}q3", "1.2", "Where was #1.1 born?", 1, 2, "End", ending="direct", parent=root.id,
        asked="Where was Orla Venn born?", answer="Port Ashby", verdict="unverified",
        evidence=tuple(cited[1:]),
    )  # fmt: skip
    return Asked(
        question=QUESTION,
        memory=memory,
        answer="Port Ashby",
        abstained=False,
        reason="",
        map=MindMap(base, memory, QUESTION, "2026-05-01T10:00:00+00:00", (root, first, second)),
        keys=Keys((LocalKeys("1.1", ("mill",), ("mill builder",), ()),), ("Orla Venn",)),
        spent=Spent(7, 1, 900, 80, 12.5, 1, 0),
        model="small",
        verifier="other",
        chunks=chunks,
        unknown=("lantern",),
        notes=("a note",),
        episode=f"{memory}:e1",
    )


def abstained(memory: str, *, name: str = "map2") -> Asked:
    """Return a question that nothing in `memory` answers."""
    question = "Who painted the moon?"
    root = Question(
        f"{memory}:{name}q1", "1", question, 0, 1, "End", ending="direct",
        asked=question, answer="I don't know", verdict="abstained", reason="no evidence",
    )  # fmt: skip
    return replace(
        made_up(memory, name=name),
        question=question,
        answer="I don't know",
        abstained=True,
        reason="no evidence",
        map=MindMap(f"{memory}:{name}", memory, question, "2026-05-02T10:00:00+00:00", (root,)),
        keys=Keys(),
        episode=None,
        notes=(),
    )
