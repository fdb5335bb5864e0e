"""What use leaves in a graph, planted by Cypher: learning on edges, facts, episodes and mind maps."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neo4j import Driver

_LEARN = """MATCH (a:Tag {memory: $memory})-[edge:CO_OCCURS]->(b:Tag)
WITH a, edge, b ORDER BY a.key, b.key
WITH collect(edge) AS edges
UNWIND range(0, size(edges) - 1) AS i
WITH i, edges[i] AS edge WHERE $chosen[i % size($chosen)]
SET edge.strength = 0.5 + (i % 50) / 100.0, edge.usedStrength = 0.5 + (i % 50) / 100.0,
    edge.usedCycle = 7 + i % 3, edge.activations = i % 7 + 1
SET edge.rank = toFloat(edge.weight) * edge.strength / 0.5"""

_CLOCK = """MATCH (memory:BambooMemory {name: $memory})
SET memory.cycle = 9, memory.swept = 7, memory.writes = memory.writes + 1"""

_EMERGE = """MATCH (a:Tag {memory: $memory}), (b:Tag {memory: $memory})
WHERE a.id < b.id AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) }
WITH a, b ORDER BY a.key, b.key LIMIT 4
CREATE (a)-[edge:CO_OCCURS {src: a.id, dst: b.id, weight: 0, strength: 0.3, usedStrength: 0.3, usedCycle: 7,
    activations: 3, emergent: true}]->(b)
SET edge.rank = edge.strength / 0.5"""

_JOINT = """MATCH (a:Tag {memory: $memory}), (b:Tag {memory: $memory})
WHERE a.id < b.id AND NOT EXISTS { (a)-[:CO_OCCURS]-(b) }
WITH a, b ORDER BY b.key, a.key LIMIT 3
CREATE (a)-[:CO_ACTIVATED {src: a.id, dst: b.id, count: 2}]->(b)"""

_FACT = """UNWIND range(0, 2) AS i
MERGE (a:Tag {memory: $memory, key: 'lonely ' + i})
ON CREATE SET a.id = $first + i, a.name = 'lonely ' + i, a.display = 'Lonely ' + i
WITH a, i
MATCH (b:Tag {memory: $memory}) WHERE NOT b.key STARTS WITH 'lonely'
WITH a, i, b ORDER BY b.key
WITH a, i, collect(b)[i] AS b
CREATE (a)-[:FACT {id: $memory + ':fact' + i, predicate: 'knows', confidence: 0.9, strength: 0.9,
    usedStrength: 0.9, usedCycle: 8, activations: 0, source: 'a hand “quoted”',
    validFrom: date('2026-01-31'), validTo: datetime('2026-03-29T02:30:00.123456789+05:30')}]->(b)"""

_EPISODE = """UNWIND range(0, 3) AS i
MATCH (a:Tag {memory: $memory})-[edge:CO_OCCURS]->(b:Tag) WHERE edge.weight > 0
WITH i, edge ORDER BY a.key, b.key
WITH i, collect(edge) AS edges
MATCH (chunk:Chunk {memory: $memory})-[:FROM_DOCUMENT]->(d:Document)
WITH i, edges, chunk ORDER BY d.id, chunk.ordinal
WITH i, edges, collect(chunk) AS chunks
CREATE (e:Episode {id: $memory + ':episode' + i, memory: $memory, question: 'Who?\\n“' + i + '”',
    answer: 'She', cycle: 5 + i, status: CASE i WHEN 3 THEN 'validated' ELSE 'learned' END, trust: 0.75,
    logical: 1, src: [edges[i].src, 0], dst: [edges[i].dst, 0], facts: [$memory + ':fact' + i],
    before: [0.5, 0.6], after: [0.55, 0.64], createdAt: datetime('2026-07-01T10:00:00[Europe/Stockholm]')})
FOREACH (chunk IN chunks[i..i + 2] | CREATE (e)-[:USED]->(chunk))"""

_MAP = """CREATE (m:MindMap {id: $memory + ':map', memory: $memory, question: 'Why?'})
CREATE (m)-[:HAS_ROOT]->(root:Question {id: $memory + ':q', text: 'Why?', level: 0, status: 'Continue'})
WITH root
UNWIND range(0, 2) AS i
CREATE (root)-[:DECOMPOSED_INTO {order: i}]->(leaf:Question {id: $memory + ':q' + i, text: 'Part ' + i,
    level: 1, status: 'End', answer: 'Yes', verdict: i <> 1})
CREATE (leaf)-[:DECOMPOSED_INTO {order: 0}]->(:Question {id: $memory + ':q' + i + 'x', text: '#1?', level: 2})
WITH leaf, i
MATCH (chunk:Chunk {memory: $memory})-[:FROM_DOCUMENT]->(d:Document)
WITH leaf, i, chunk ORDER BY d.id, chunk.ordinal
WITH leaf, i, collect(chunk) AS chunks
FOREACH (chunk IN chunks[i..i + 1] | CREATE (leaf)-[:SUPPORTED_BY]->(chunk))"""


def plant(driver: Driver, memory: str, *, seed: int = 0) -> None:
    """Plant what weeks of use would leave on a memory that holds documents; every invariant holds."""
    choose = random.Random(seed)
    chosen = [choose.random() < 0.4 for _ in range(97)]
    lease = "MATCH (s:BambooSchema) SET s.nextTagId = s.nextTagId + 3 RETURN s.nextTagId - 3 AS first"
    first = driver.execute_query(lease).records[0]["first"]
    for query in (_CLOCK, _LEARN, _EMERGE, _JOINT, _FACT, _EPISODE, _MAP):
        driver.execute_query(query, memory=memory, chosen=chosen, first=first)
