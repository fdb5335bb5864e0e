"""The ledger: every question that was reasoned about becomes an (:Episode), and nothing else changes.

An episode that passed the gate waits with `status` validated until `learn/strengthen` takes it, once, in
the order of `createdAt`; one that did not is rejected. Properties of the node (a list has one entry an edge,
a property that has no value is absent):

- `id` ("memory:" and a digest), `memory`, `question`, `answer`, `modules`, `path` (its steps in words),
  `confidence`, `createdAt`;
- `status` validated | rejected | learned | undone; `cycle`, the cycle it began, once it is learned;
- `gate` (quality or paper), `trust`, `reasons` of the gate; `logical`, `grounding`, `novelty`, `alignment` in
  [0, 1], absent where the validator failed, each with `…Reason` (`logicalReason`, …) in words;
- `src`, `dst` (Tag ids, the smaller first), `shares` in (0, 1]: the first `used` entries are the edges of the
  path, the others pairs that were used together with no edge of evidence between;
- `facts` (ids), `factShares`: the facts it used;
- `before`, `after`, once it is learned: three numbers (usedStrength, usedCycle, activations) for each edge in
  the order of `src`, then for each fact in the order of `facts`; -1, -1, -1 where it was never used, was not
  there or was left out because its numbers are damaged (`states.decode` reads them);
- `jointBefore`, `jointAfter`, once it is learned, in the order of `src`: how many episodes had used the pair
  together, where it had no edge; -1 where it had one. From 2 to 3 an edge emerges, whose state stands in
  `after`; CO_ACTIVATED carries it (usedStrength, usedCycle, activations) until `learn/emerge` has made it.

`(:Episode)-[:USED]->(:Chunk)` are the chunks that were cited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bamboo_neo4j.graph.locking import lock
from bamboo_neo4j.learn.paths import UsedFact, used_edges
from bamboo_neo4j.records import Episode, UsedEdge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bamboo_neo4j.graph.client import GraphClient, Transaction
    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.records import ReasoningOutput, RecalledChunk, Verdict

VALIDATED, REJECTED = "validated", "rejected"
"""What an episode is when it is recorded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be recorded of one question: the answer, what it used, and what the gate says."""

    question: str
    output: ReasoningOutput
    verdict: Verdict
    cited: tuple[RecalledChunk, ...] = ()

    @property
    def status(self) -> str:
        """Validated if the gate let it pass, else rejected."""
        return VALIDATED if self.verdict.passed else REJECTED

    @property
    def chunks(self) -> tuple[str, ...]:
        """The ids of all chunks it used, each once."""
        joined = [pair.chunk for pair in self.output.pairs]
        return tuple(dict.fromkeys([*(chunk.id for chunk in self.cited), *self.output.chunks, *joined]))


def record(client: GraphClient, memory: str, *, entry: Entry, words: Normaliser) -> Episode:
    """Record an episode in `memory` under its lock; a retry finds it there and records nothing twice.

    Tags and facts that the graph does not hold are left out. Raises NotFound where there is no such memory,
    and OtherWordRules where its words are not ours.
    """
    # made before the first attempt, so that every attempt writes the same episode
    name = f"{memory}:{uuid4().hex}"

    def work(transaction: Transaction) -> Episode:
        lock(transaction, memory=memory, normaliser=words.fingerprint)
        return _Recording(transaction, memory, words).write(name, entry)

    return client.write(work)


class _Recording:
    """One attempt of one transaction, after the lock."""

    def __init__(self, transaction: Transaction, memory: str, words: Normaliser) -> None:
        self._transaction = transaction
        self._memory = memory
        self._words = words

    def write(self, name: str, entry: Entry) -> Episode:
        """Look up what the entry names, and write the episode."""
        facts, known = self._facts(entry.output.facts)
        used = used_edges(entry.cited, entry.output.pairs, facts=facts)
        ids = known | self._tags({end for each in used for end in (each.source, each.target)} - known.keys())
        path = _rows((each for each in used if each.fact is None and not each.together), ids)
        joint = _rows((each for each in used if each.together), ids)
        stated = [each for each in used if each.fact is not None]
        row = self._run(
            "record_episode",
            id=name,
            properties=_properties(entry, stated),
            edges=[[*pair, share] for pair, share in path.items()],
            together=[[*pair, share] for pair, share in joint.items() if pair not in path],
            chunks=list(entry.chunks),
        )[0]
        kept = zip(row["src"], row["dst"], row["shares"], strict=True)
        names = {number: tag for tag, number in ids.items()}
        edges = [
            UsedEdge(names[src], names[dst], share, together=place >= len(path))
            for place, (src, dst, share) in enumerate(kept)
        ]
        return _episode(row["id"], row["createdAt"], entry=entry, edges=(*edges, *stated))

    def _facts(self, wanted: Sequence[str]) -> tuple[list[UsedFact], dict[str, int]]:
        """Return the facts that are there, as often as they were used, and the ids of their ends."""
        if not wanted:
            return [], {}
        rows = {row["id"]: row for row in self._run("find_facts", facts=list(dict.fromkeys(wanted)))}
        known = {row[end]: row[f"{end}Id"] for row in rows.values() for end in ("subject", "object")}
        facts = [
            UsedFact(fact, rows[fact]["subject"], rows[fact]["object"]) for fact in wanted if fact in rows
        ]
        return facts, known

    def _tags(self, names: Iterable[str]) -> dict[str, int]:
        wanted = [[name, self._words.key(name)] for name in sorted(names)]
        return dict(self._run("find_tags", names=wanted)[0]["tags"]) if wanted else {}

    def _run(self, name: str, **parameters: object) -> list[dict[str, Any]]:
        return self._transaction.run(f"learn/{name}", {"memory": self._memory, **parameters})


def _rows(edges: Iterable[UsedEdge], ids: Mapping[str, int]) -> dict[tuple[int, int], float]:
    """Return the pairs of Tag ids that exist, the smaller id first, each once with its largest share."""
    rows: dict[tuple[int, int], float] = {}
    for edge in edges:
        one, other = ids.get(edge.source), ids.get(edge.target)
        if one is not None and other is not None and one != other:
            pair = (min(one, other), max(one, other))
            rows[pair] = max(edge.share, rows.get(pair, 0.0))
    return rows


def _properties(entry: Entry, facts: Sequence[UsedEdge]) -> dict[str, object]:
    output, verdict = entry.output, entry.verdict
    properties: dict[str, object] = {
        "question": entry.question,
        "answer": output.conclusion,
        "modules": [output.module],
        "path": list(output.path),
        "confidence": _share(output.confidence),
        "status": entry.status,
        "gate": verdict.gate,
        "trust": _share(verdict.trust),
        "reasons": list(verdict.reasons),
        "facts": [each.fact for each in facts],
        "factShares": [each.share for each in facts],
    }
    for score in verdict.scores:
        properties[score.name] = _share(score.value)
        properties[f"{score.name}Reason"] = score.reason
    return properties


def _share(value: float | None) -> float | None:
    """Return a number from 0 to 1, None for any other: NaN must not reach the graph."""
    return value if value is not None and 0 <= value <= 1 else None


def _episode(name: str, created_at: str, *, entry: Entry, edges: tuple[UsedEdge, ...]) -> Episode:
    return Episode(
        id=name,
        question=entry.question,
        answer=entry.output.conclusion,
        status=entry.status,
        cycle=None,
        trust=entry.verdict.trust,
        scores=entry.verdict.scores,
        edges=edges,
        chunks=entry.chunks,
        created_at=created_at,
        modules=(entry.output.module,),
    )
