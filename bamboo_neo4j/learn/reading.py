"""Reading the ledger: episodes as they were recorded, with the edges they used and what became of them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.learn.comparing import GONE, compare
from bamboo_neo4j.learn.plasticity import EVIDENCE
from bamboo_neo4j.learn.states import decode, decode_count
from bamboo_neo4j.records import Episode, Score, UsedEdge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.graph.client import GraphClient, Row
    from bamboo_neo4j.learn.comparing import Compared

STATUSES = ("validated", "rejected", "learned", "undone")


def read_episodes(client: GraphClient, memory: str, *, status: str | None = None) -> Iterator[Episode]:
    """Yield the episodes of `memory`, or those of one status, in the order in which they were recorded.

    Raises UsageError for what is no status.
    """
    if status is not None and status not in STATUSES:
        raise UsageError(f"{status!r} is no status of an episode", hint=f"one of {', '.join(STATUSES)}")
    for row in client.stream("inspect/episodes", _range(memory, "") | {"memory": memory, "status": status}):
        yield episode_of(row)


def read_episode(client: GraphClient, memory: str, name: str) -> Episode:
    """Return the episode with the id `name`, which may be cut short and leave out the memory's name.

    Raises NotFound when there is none, UsageError when several begin so.
    """
    beginning = name.removeprefix(f"{memory}:")
    rows = list(
        client.read("inspect/episodes", _range(memory, beginning) | {"memory": memory, "status": None})
    )
    exact = [row for row in rows if row["id"] == f"{memory}:{beginning}"]
    if not rows or not beginning:
        raise NotFound(
            f"there is no episode {name!r} in the memory {memory!r}", hint="bamboo episodes list shows them"
        )
    if len(rows) > 1 and not exact:
        raise UsageError(f"{len(rows)} episodes begin with {name!r}", hint="give more of the id")
    return episode_of((exact or rows)[0])


def compare_cycles(client: GraphClient, memory: str, *, since: int, until: int) -> Compared:
    """Return what changed in `memory` between two cycles, edge by edge, computed from its ledger.

    Raises UsageError unless 0 ≤ since ≤ until ≤ the memory's cycle.
    """
    rows = client.read("learn/read_clock", {"memory": memory})
    cycle, floor = (rows[0]["cycle"] or 0, rows[0]["floor"]) if rows else (0, None)
    if not 0 <= since <= until <= cycle:
        raise UsageError(
            f"cannot compare cycle {since} with cycle {until}",
            hint=f"the memory {memory!r} is at cycle {cycle}; the earlier one comes first",
        )
    episodes = read_episodes(client, memory, status="learned")
    return compare(episodes, since=since, until=until, evidence=floor or EVIDENCE)


def episode_of(row: Row) -> Episode:
    """Return a row of `inspect/episodes` as a record."""
    scores = (
        Score(name, value, reason or "")
        for name, value, reason in row["scores"]
        if value is not None or reason
    )
    return Episode(
        id=row["id"],
        question=row["question"] or "",
        answer=row["answer"] or "",
        status=row["status"],
        cycle=row["cycle"],
        trust=row["trust"] or 0.0,
        scores=tuple(scores),
        edges=tuple(_edges(row)),
        chunks=tuple(row["chunks"]),
        created_at=row["createdAt"] or "",
        modules=tuple(row["modules"] or ()),
    )


def _edges(row: Row) -> Iterator[UsedEdge]:
    """Yield the edges, then the facts, of an episode; an edge of the path or two tags used together."""
    count = len(row["edges"])
    before, after = decode(row["before"] or ()), decode(row["after"] or ())
    used = count if row["used"] is None else row["used"]
    joint = list(zip_longest(row["jointBefore"] or (), row["jointAfter"] or ()))
    for place, (source, target) in enumerate(row["edges"]):
        counts = joint[place] if place < len(joint) else (None, None)
        yield UsedEdge(
            source or GONE,
            target or GONE,
            share=_at(row["shares"], place, 1.0),
            before=_at(before, place),
            after=_at(after, place),
            together=place >= used,
            joint_before=decode_count(counts[0]),
            joint_after=decode_count(counts[1]),
        )
    for place, (fact, subject, _predicate, object_) in enumerate(row["facts"]):
        yield UsedEdge(
            subject or GONE,
            object_ or GONE,
            share=_at(row["factShares"], place, 1.0),
            fact=fact,
            before=_at(before, count + place),
            after=_at(after, count + place),
        )


def _at(values: Sequence[Any] | None, place: int, default: Any = None) -> Any:  # noqa: ANN401 - as the list has it
    return values[place] if values is not None and place < len(values) else default


def _range(memory: str, beginning: str) -> dict[str, str]:
    """Return where the ids of episodes begin and end that begin so; what may follow is below U+10FFFF."""
    start = f"{memory}:{beginning}"
    return {"beginning": start, "end": start + "\U0010ffff"}
