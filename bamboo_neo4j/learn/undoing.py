"""Undoing an episode: each edge goes back to what it was before, unless something touched it later.

The memory's cycle is not turned back. What an episode did stays readable in the ledger.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from bamboo_neo4j.errors import NotFound, UsageError
from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.learn.effects import (
    NEVER,
    Effect,
    Held,
    KeptEdge,
    Now,
    Undone,
    did_nothing,
    is_as_left,
    later,
    origin,
)
from bamboo_neo4j.learn.plasticity import EVIDENCE, fact_floor, floor_of, strength_at
from bamboo_neo4j.learn.reading import read_episode
from bamboo_neo4j.learn.states import decode, decode_count
from bamboo_neo4j.records import EdgeState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bamboo_neo4j.graph.client import GraphClient, Row, Transaction
    from bamboo_neo4j.learn.effects import Key
    from bamboo_neo4j.records import Episode, UsedEdge


def undo(client: GraphClient, memory: str, name: str) -> Undone:
    """Undo an episode of `memory`, once; `name` is its id, which may be cut short.

    One that waits is only marked. Raises NotFound when there is none, UsageError for one that was undone
    already or was rejected.
    """
    episode = read_episode(client, memory, name)
    attempt = uuid4().hex  # made before the first try, so that a retry knows its own work
    results: list[Undone] = []

    def work(transaction: Transaction) -> Undone:
        lock(transaction, memory=memory, normaliser=None)
        row = _read(transaction, memory, episode)
        if row["undoing"] == attempt:
            return results[-1]
        results.append(_undo(transaction, memory, episode=episode, row=row, attempt=attempt))
        return results[-1]

    return client.write(work)


def _undo(transaction: Transaction, memory: str, *, episode: Episode, row: Row, attempt: str) -> Undone:
    if row["status"] == "undone":
        raise UsageError(f"the episode {episode.id} was undone already", hint="nothing was changed")
    if row["status"] == "rejected":
        raise UsageError(
            f"the episode {episode.id} was rejected: it never changed anything", hint="nothing was changed"
        )
    transaction.run("learn/mark_undone", {"id": episode.id, "undoing": attempt})
    if row["status"] != "learned":
        return Undone(episode.id, learned=False)
    return _Undoing(transaction, memory, episode, row).run()


def _read(transaction: Transaction, memory: str, episode: Episode) -> Row:
    rows = transaction.run("learn/read_effect", {"memory": memory, "id": episode.id})
    if not rows:
        raise NotFound(
            f"the episode {episode.id} is gone", hint="bamboo episodes list shows those that are there"
        )
    return rows[0]


@dataclass(slots=True)
class _Writes:
    """Rows of what is to be written."""

    edges: list[list[object]] = field(default_factory=list)
    joints: list[list[object]] = field(default_factory=list)
    facts: list[list[object]] = field(default_factory=list)
    emerged: list[list[object]] = field(default_factory=list)


class _Undoing:
    """One attempt of one transaction, after the lock, for an episode that was learned."""

    def __init__(self, transaction: Transaction, memory: str, episode: Episode, row: Row) -> None:
        self._transaction = transaction
        self._memory = memory
        self._episode = episode
        self._effects = _effects(row)
        self._writes = _Writes()

    def run(self) -> Undone:
        """Read how everything stands now, restore what is as the episode left it, and say what is not."""
        undone, following = self._others()
        now = self._now()
        restored, kept = [], []
        for edge, (key, effect) in zip(self._episode.edges, self._effects, strict=False):
            state = now.get(key, Now())
            if did_nothing(effect):
                continue
            if is_as_left(effect, state):
                target = origin(effect, undone[key])
                self._restore(key, effect, state=state, target=target)
                restored.append(_restored(edge, state, target))
            else:
                kept.append(_kept(edge, state, later(key, effect, following)))
        self._write()
        return Undone(self._episode.id, learned=True, restored=tuple(restored), kept=tuple(kept))

    def _others(self) -> tuple[Mapping[Key, list[Effect]], Mapping[Key, list[Effect]]]:
        """Return, by edge, what undone episodes before this one did and what learned ones after it did."""
        undone: dict[Key, list[Effect]] = defaultdict(list)
        following: dict[Key, list[Effect]] = defaultdict(list)
        keys = [key for key, _ in self._effects]
        rows = self._run(
            "read_overlapping",
            cycle=self._episode.cycle,
            edges={f"{key[0]}-{key[1]}": True for key in keys if isinstance(key, tuple)},
            facts={key: True for key in keys if isinstance(key, str)},
        )
        for row in rows:
            found = undone if row["status"] == "undone" else following
            for key, effect in _effects(row):
                if not did_nothing(effect):
                    found[key].append(effect)
        return undone, following

    def _now(self) -> dict[Key, Now]:
        keys = [key for key, _ in self._effects]
        row = self._run(
            "read_states",
            pairs=[list(key) for key in keys if isinstance(key, tuple)],
            facts=[key for key in keys if isinstance(key, str)],
        )[0]
        self._swept, self._evidence = row["swept"], row["floor"] or EVIDENCE
        now: dict[Key, Now] = {}
        for src, dst, weight, emergent, *state in row["edges"]:
            now[src, dst] = Now(weight or 0, bool(emergent), EdgeState(*state))
        for src, dst, count, *state in row["joints"]:
            now[src, dst] = replace(now.get((src, dst), Now()), joint=count, pending=EdgeState(*state))
        return now | {fact: Now(1, state=EdgeState(*state)) for fact, *state in row["facts"]}

    def _restore(self, key: Key, effect: Effect, *, state: Now, target: Held) -> None:
        """Note what has to be written so that an edge is as `target` says."""
        if isinstance(key, str):
            floor = fact_floor(target.state.strength)
            strength = strength_at(self._swept, target.state, floor=floor)
            self._writes.facts.append([key, strength, *_values(target.state)])
        elif state.joint is not None and Held(state.pending, state.joint) == effect.after:
            self._writes.joints.append([*key, target.joint or 0, *_values(target.state)])
        elif target.state == NEVER and target.joint is not None and not state.weight:
            self._writes.emerged.append([*key])
            self._writes.joints.append([*key, target.joint, *_values(NEVER)])
        else:
            self._restore_edge(key, state, target)

    def _restore_edge(self, key: tuple[int, int], state: Now, target: Held) -> None:
        emergent = True if state.emergent and target.state != NEVER else None
        # as of the last sweep, which is what stands in `strength` and `rank`
        floor = floor_of(state.weight, evidence=self._evidence)
        strength = strength_at(self._swept, target.state, floor=floor)
        shown = None if target.state == NEVER and self._evidence == EVIDENCE else strength
        self._writes.edges.append([*key, shown, *_values(target.state), emergent, strength])

    def _write(self) -> None:
        writes = self._writes
        if writes.edges:
            self._run("restore_edges", edges=writes.edges)
        if writes.facts:
            self._run("restore_facts", facts=writes.facts)
        if writes.joints:
            self._run("restore_joints", joints=writes.joints)
        if writes.emerged:
            self._run("take_emerged", edges=writes.emerged)

    def _run(self, name: str, **parameters: object) -> list[Row]:
        return self._transaction.run(f"learn/{name}", {"memory": self._memory, **parameters})


def _effects(row: Row) -> list[tuple[Key, Effect]]:
    """Return what an episode did: edge by edge in the order of its edges, then its facts."""
    pairs: list[Key] = [
        (min(pair), max(pair)) for pair in zip(row["src"] or (), row["dst"] or (), strict=True)
    ]
    keys = [*pairs, *(row["facts"] or ())]
    before, after = decode(row["before"] or ()), decode(row["after"] or ())
    counts = zip(row["jointBefore"] or (), row["jointAfter"] or (), strict=True)
    joints = [(decode_count(one), decode_count(other)) for one, other in counts]
    joints += [(None, None)] * (len(keys) - len(joints))
    return [
        (key, Effect(row.get("id", ""), row["cycle"], Held(old, one), Held(new, other)))
        for key, old, new, (one, other) in zip(keys, before, after, joints, strict=False)
    ]


def _restored(edge: UsedEdge, state: Now, target: Held) -> UsedEdge:
    found = state.state if state.weight is not None else state.pending
    return replace(edge, before=found, after=target.state, joint_before=state.joint, joint_after=target.joint)


def _kept(edge: UsedEdge, state: Now, following: Effect | None) -> KeptEdge:
    if state.weight is None and state.joint is None:
        reason = "it is no longer there"
    elif following is not None:
        reason = f"the episode {following.episode} has used it since"
    else:
        reason = "it was changed since"
    return KeptEdge(edge.source, edge.target, edge.fact, reason)


def _values(state: EdgeState) -> Sequence[object]:
    return state.strength, state.used_cycle, state.activations
