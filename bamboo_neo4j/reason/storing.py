"""Keeping what was asked: the mind map with its answers, verdicts and evidence, in the graph.

What documents say is not copied: a question is tied to the chunks that support it, so that forgetting a
document takes its text out of every stored question too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.errors import NotFound
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.reason.asked import Asked, Evidence, Keys, LocalKeys, MindMap, Question, Spent
from bamboo_neo4j.records import RecalledChunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction

SHORTEST = 4
"""Characters that the beginning of an id must have."""


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question that was asked and stored: `id` is its mind map's, `questions` the number of its nodes.

    `created_at` is in ISO 8601.
    """

    id: str
    question: str
    answer: str
    abstained: bool
    reason: str
    created_at: str
    questions: int


def store_map(client: GraphClient, asked: Asked) -> None:
    """Store what was asked, through the memory's lock; storing it again changes nothing.

    Raises NotFound or DatabaseError where the memory is gone or being forgotten.
    """
    questions = [_question_row(each, asked.keys) for each in asked.map.questions]
    steps = [{"id": each.id, "parent": each.parent, "order": each.order} for each in asked.map.questions]

    def work(transaction: Transaction) -> None:
        lock(transaction, memory=asked.memory, normaliser=None)
        transaction.run("reason/delete_questions", {"map": asked.map.id})
        parameters = {"map": _map_properties(asked), "createdAt": asked.map.created_at}
        transaction.run("reason/store_map", parameters)
        transaction.run("reason/store_questions", {"memory": asked.memory, "questions": questions})
        transaction.run("reason/tie_questions", {"map": asked.map.id, "steps": steps})

    client.write(work)


def list_maps(client: GraphClient, memory: str, *, limit: int) -> tuple[StoredQuestion, ...]:
    """Return the questions that were asked of `memory`, the latest first, `limit` at most."""
    rows = client.read("reason/list_maps", {"memory": memory, "limit": limit})
    return tuple(
        StoredQuestion(
            id=row["id"],
            question=row["question"],
            answer=row["answer"],
            abstained=row["abstained"],
            reason=row["reason"],
            created_at=row["createdAt"] or "",
            questions=row["questions"],
        )
        for row in rows
    )


def read_map(client: GraphClient, memory: str, map_id: str) -> Asked:
    """Return what was stored under `map_id`: an id, with or without the memory's name, or its beginning.

    Evidence of a chunk is its whole text, with no label and no similarity; scores are 0.
    Raises NotFound for an id that is not there, or begins several.
    """
    found = _find(client, memory, map_id)
    head = client.read("reason/read_map", {"map": found})
    rows = client.read("reason/read_questions", {"map": found})
    if not head or not rows:
        raise _unknown(map_id)
    return _asked(head[0], rows, memory=memory)


def remove_maps(client: GraphClient, memory: str, map_ids: Sequence[str]) -> int:
    """Remove what is stored under `map_ids`, each as in `read_map`; return how many there were.

    What was learned stays. Raises NotFound for an id that is not there, before anything is removed.
    """
    ids = sorted({_find(client, memory, each) for each in map_ids})

    def work(transaction: Transaction) -> int:
        lock(transaction, memory=memory, normaliser=None)
        for each in ids:
            transaction.run("reason/delete_questions", {"map": each})
        return int(transaction.run("reason/delete_maps", {"maps": ids})[0]["maps"])

    return client.write(work) if ids else 0


def _find(client: GraphClient, memory: str, map_id: str) -> str:
    short = map_id.removeprefix(f"{memory}:")
    if len(short) < SHORTEST:
        raise _unknown(map_id)
    ids: list[str] = client.read("reason/find_maps", {"beginning": f"{memory}:{short}"})[0]["ids"]
    if f"{memory}:{short}" in ids:
        return f"{memory}:{short}"
    if len(ids) > 1:
        raise NotFound(f"several questions begin with {map_id!r}", hint="give more of the id")
    if not ids:
        raise _unknown(map_id)
    return ids[0]


def _unknown(map_id: str) -> NotFound:
    return NotFound(f"no question is stored under {map_id!r}", hint="bamboo questions list shows the ids")


def _map_properties(asked: Asked) -> dict[str, object]:
    spent = asked.spent
    return {
        "id": asked.map.id,
        "memory": asked.memory,
        "question": asked.question,
        "answer": asked.answer,
        "abstained": asked.abstained,
        "reason": asked.reason,
        "limit": asked.limit,
        "model": asked.model,
        "verifier": asked.verifier,
        "episode": None if asked.episode is None else asked.episode.removeprefix(f"{asked.memory}:"),
        "calls": spent.calls,
        "cached": spent.cached,
        "promptTokens": spent.prompt_tokens,
        "completionTokens": spent.completion_tokens,
        "seconds": spent.seconds,
        "retrievals": spent.retrievals,
        "secondLookups": spent.second_lookups,
        "shared": list(asked.keys.shared),
        "unknown": list(asked.unknown),
        "truncated": list(asked.truncated),
        "notes": list(asked.notes),
    }


def _question_row(question: Question, keys: Keys) -> dict[str, object]:
    local = next((each for each in keys.questions if each.number == question.number), None)
    return {
        "properties": {
            "id": question.id,
            "number": question.number,
            "text": question.text,
            "asked": question.asked,
            "level": question.level,
            "status": question.status,
            "ending": question.ending,
            "answer": question.answer,
            "verdict": question.verdict,
            "reason": question.reason,
            "rethinks": question.rethinks,
            "facts": [each.text for each in question.evidence if each.kind == "fact"],
            "entities": list(local.entities) if local else [],
            "pairs": list(local.pairs) if local else [],
            "triples": list(local.triples) if local else [],
        },
        "chunks": list(question.chunks),
    }


def _asked(head: Row, rows: Sequence[Row], *, memory: str) -> Asked:
    stored: dict[str, Any] = head["properties"]
    rows = _in_order(rows)
    questions = tuple(map(_question, rows))
    keys = tuple(local for local in map(_local_keys, rows) if local.texts)
    chunks = {chunk.id: chunk for row in rows for chunk in map(_chunk, row["chunks"])}
    root = questions[0]
    episode = stored.get("episode")
    return Asked(
        question=stored.get("question", root.text),
        memory=memory,
        answer=stored.get("answer", root.answer),
        abstained=stored.get("abstained", False),
        reason=stored.get("reason", ""),
        map=MindMap(
            head["id"], memory, stored.get("question", root.text), head["createdAt"] or "", questions
        ),
        keys=Keys(keys, tuple(stored.get("shared", ()))),
        spent=_spent(stored),
        model=stored.get("model", ""),
        verifier=stored.get("verifier", ""),
        limit=stored.get("limit", ""),
        chunks=tuple(chunks[each] for each in root.chunks),
        unknown=tuple(stored.get("unknown", ())),
        truncated=tuple(stored.get("truncated", ())),
        notes=tuple(stored.get("notes", ())),
        episode=None if episode is None else f"{memory}:{episode}",
    )


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Return the questions depth first, each before its parts."""
    below: dict[str | None, list[Row]] = {}
    for row in rows:
        below.setdefault(row["parent"], []).append(row)
    ordered: list[Row] = []
    waiting = below.pop(None, [])
    while waiting:
        row = waiting.pop(0)
        ordered.append(row)
        waiting[:0] = below.pop(row["id"], [])
    return ordered


def _question(row: Row) -> Question:
    stored: dict[str, Any] = row["properties"]
    stated = [Evidence("", "fact", "", text, 0.0, "") for text in stored.get("facts", ())]
    quoted = [
        Evidence("", "chunk", chunk.id, chunk.text, 0.0, "", document=chunk.document, title=chunk.title)
        for chunk in map(_chunk, row["chunks"])
    ]
    return Question(
        id=row["id"],
        number=stored.get("number", ""),
        text=stored.get("text", ""),
        level=stored.get("level", 0),
        order=row["order"],
        status=stored.get("status", "End"),
        ending=stored.get("ending", ""),
        parent=row["parent"],
        asked=stored.get("asked", ""),
        answer=stored.get("answer", ""),
        verdict=stored.get("verdict", "open"),
        reason=stored.get("reason", ""),
        evidence=(*stated, *quoted),
        rethinks=stored.get("rethinks", 0),
    )


def _chunk(values: Sequence[Any]) -> RecalledChunk:
    chunk, document, title, ordinal, text, tokens = values
    return RecalledChunk(chunk, document, title, ordinal, text, tokens or 0, 0.0)


def _local_keys(row: Row) -> LocalKeys:
    stored: dict[str, Any] = row["properties"]
    names = ("entities", "pairs", "triples")
    return LocalKeys(stored.get("number", ""), *(tuple(stored.get(name, ())) for name in names))


def _spent(stored: dict[str, Any]) -> Spent:
    return Spent(
        calls=stored.get("calls", 0),
        cached=stored.get("cached", 0),
        prompt_tokens=stored.get("promptTokens", 0),
        completion_tokens=stored.get("completionTokens", 0),
        seconds=stored.get("seconds", 0.0),
        retrievals=stored.get("retrievals", 0),
        second_lookups=stored.get("secondLookups", 0),
    )
