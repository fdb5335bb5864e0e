"""Episodes by hand: a path of hops between tags, or facts, that passed the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bamboo_neo4j.records import ReasoningOutput, RecalledChunk, Verdict, Via

if TYPE_CHECKING:
    from neo4j import Driver

    from bamboo_neo4j import Memory

PASSED = Verdict(passed=True, gate="quality", trust=0.9, scores=(), reasons=())
FAILED = Verdict(passed=False, gate="quality", trust=0.3, scores=(), reasons=("it says nothing",))
Hop = tuple[str, str]


def learn(
    memory: Memory, *hops: Hop, facts: tuple[str, ...] = (), verdict: Verdict = PASSED, question: str = "Who?"
) -> str:
    """Record an episode whose answer went from tag to tag, in one chunk, and used facts; return its id."""
    via = tuple(Via(source, target, 1, 1, 0.5) for source, target in hops)
    cited = RecalledChunk("none", "a", "", 0, "", 1, 1.0, via=via)
    output = ReasoningOutput("by hand", "She did.", 0.9, facts=facts)
    return memory.learn(question, output, verdict, cited=[cited] if hops else []).id


def learned(driver: Driver, memory: str) -> dict[tuple[Any, ...], list[Any]]:
    """Return all that is learned in a memory, whatever the cycle: by edge, with None where nothing is."""
    query = """MATCH (a:Tag {memory: $memory})-[r:CO_OCCURS|FACT|CO_ACTIVATED]->(b:Tag)
        RETURN type(r) AS kind, a.name AS a, b.name AS b, r.predicate AS predicate,
            [r.weight, r.count, r.usedStrength, r.usedCycle, r.activations, r.emergent] AS state"""
    rows = driver.execute_query(query, memory=memory).records
    return {(row["kind"], *sorted([row["a"], row["b"]]), row["predicate"]): row["state"] for row in rows}
