"""`--ranking paper`: BambooKG's recall as published, against the same worked out from the chunks alone."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.recall import paper
from tests.graph.drafts import weights
from tests.graph.recalling import EVERYTHING, Asked, ask, recall, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neo4j import Driver

    from tests.graph.drafts import Content

ASKED = ((["t0q"], 5, 3), (["t1q", "t2q"], 3, 2), (["t3q"], 4, 0), (["t4q"], 1, 1))
"""Cues, first-degree neighbours of each, second-degree neighbours of each of those."""
Edges = dict[tuple[str, str], int]


def a_content(seed: int) -> Content:
    pick = random.Random(seed)
    tags = [f"t{number}q" for number in range(16)]
    return [pick.sample(tags, pick.randint(2, 5)) for _ in range(40)]


def ids(driver: Driver, memory: str) -> dict[str, int]:
    query = "MATCH (t:Tag {memory: $memory}) RETURN t.key AS key, t.id AS id"
    return {row["key"]: row["id"] for row in driver.execute_query(query, memory=memory).records}


def chunk_ids(driver: Driver, memory: str) -> dict[int, str]:
    query = "MATCH (c:Chunk {memory: $memory}) RETURN c.ordinal AS ordinal, c.id AS id"
    return {row["ordinal"]: row["id"] for row in driver.execute_query(query, memory=memory).records}


def retrieved(
    content: Content, cues: Sequence[str], first: int, second: int, number: dict[str, int]
) -> Edges:
    """The edges from each cue to its `first` heaviest neighbours, and from those to `second` others each."""
    near: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for (a, b), weight in weights([content]).items():
        near[a].append((b, weight))
        near[b].append((a, weight))
    for found in near.values():
        found.sort(key=lambda each: (-each[1], -number[each[0]]))
    edges: Edges = {}
    for cue in cues:
        for tag, weight in near[cue][:first]:
            edges[min(cue, tag), max(cue, tag)] = weight
            for other, count in [each for each in near[tag] if each[0] != cue][:second]:
                edges[min(tag, other), max(tag, other)] = count
    return edges


@pytest.mark.parametrize("seed", range(3))
def test_the_paper_ranking_is_the_chunks_of_the_heaviest_edges_by_the_sum_of_their_weights(
    driver: Driver, seed: int
) -> None:
    content = a_content(seed)
    with written(driver, {"a": content}) as memory:
        number, names = ids(driver, memory), chunk_ids(driver, memory)
        for cues, first, second in (
            (["t0q"], 5, 3),
            (["t1q", "t2q"], 3, 2),
            (["t3q"], 4, 0),
            (["t4q"], 1, 1),
        ):
            edges = retrieved(content, cues, first, second, number)
            scores = {
                names[place]: sum(weight for pair, weight in edges.items() if set(pair) <= set(tags))
                for place, tags in enumerate(content)
            }
            expected = sorted(
                ((name, score) for name, score in scores.items() if score), key=lambda e: (-e[1], e[0])
            )
            found = ask(
                driver,
                memory,
                " and ".join(cues),
                ranking="paper",
                first=first,
                second=second,
                limit=EVERYTHING,
            )
            assert found.ranking == "paper"
            assert [(chunk.id, chunk.score) for chunk in found.chunks] == expected


def test_each_chunk_names_the_edges_that_brought_it_from_the_question_on(driver: Driver) -> None:
    content = [["cue", "tin"], ["cue", "tin", "zinc"], ["tin", "zinc"], ["lead", "iron"]]
    with written(driver, {"a": content}) as memory:
        found = ask(driver, memory, "cue", ranking="paper", associations=False)
        paths = {
            chunk.ordinal: sorted((via.source, via.target, via.degree, via.weight) for via in chunk.via)
            for chunk in found.chunks
        }
        # cue–tin 2, cue–zinc 1; from tin: zinc 2; from zinc: tin 2 (the same edge).
        assert paths == {
            0: [("cue", "tin", 1, 2)],
            1: [("cue", "tin", 1, 2), ("cue", "zinc", 1, 1), ("tin", "zinc", 2, 2)],
            2: [("tin", "zinc", 2, 2)],
        }
        assert {chunk.ordinal: chunk.score for chunk in found.chunks} == {1: 5.0, 0: 2.0, 2: 2.0}
        assert found.chunks[0].ordinal == 1


def test_the_paper_ranking_takes_two_statements_and_the_texts(driver: Driver) -> None:
    with written(driver, {"a": [["cue", "tin"]]}) as memory:
        asked = Asked(GraphClient(driver, owns=False))
        found = recall(asked, memory, "cue", ranking="paper", associations=False)
        expected = [
            "recall/candidates",
            "recall/paper_associate",
            "recall/paper_chunks",
            "recall/evidence",
        ]
        assert asked.names == expected == list(found.statements)


@pytest.mark.parametrize("value", [math.nan, math.inf, "high", None], ids=repr)
@pytest.mark.parametrize("name", ["weight", "rank"])
def test_p27_an_edge_that_is_no_number_is_passed_over(driver: Driver, name: str, value: object) -> None:
    with written(driver, {"a": [["cue", "tin"], ["cue", "zinc"], ["cue", "zinc"], ["tin"]]}) as memory:
        driver.execute_query(
            """MATCH (:Tag {memory: $memory, key: 'cue'})-[edge:CO_OCCURS]-(:Tag {key: 'tin'})
            SET edge += $broken""",
            memory=memory,
            broken={name: value},
        )
        found = ask(driver, memory, "cue", ranking="paper", first=1, second=0, associations=False)
        assert sorted((chunk.ordinal, chunk.score) for chunk in found.chunks) == [(1, 2.0), (2, 2.0)]


def test_words_alone_bring_nothing_and_that_is_said(driver: Driver) -> None:
    with written(driver, {"a": [["cue tin", "zinc"]]}) as memory:
        found = ask(driver, memory, "tin", ranking="paper")
        assert found.chunks == ()
        assert "knows no words" in " ".join(found.truncated)


def test_the_context_fits_the_budget_and_says_what_was_cut(driver: Driver) -> None:
    content = [["cue", "tin"], ["cue", "tin", "zinc", "lead"], ["tin", "zinc"]]
    with written(driver, {"a": content}) as memory:
        found = ask(driver, memory, "cue", ranking="paper", tokens=5)
        assert found.tokens <= 5
        assert "do" in " ".join(found.truncated)
        assert len(found.chunks) < 3


def test_an_edge_of_more_than_a_thousand_chunks_is_cut_and_said_to_be(driver: Driver) -> None:
    with written(driver, {"a": [["cue", "tin"]]}) as memory:
        driver.execute_query(
            """MATCH (d:Document {memory: $memory}), (a:Tag {memory: $memory, key: 'cue'}),
                (b:Tag {memory: $memory, key: 'tin'}), (a)-[edge:CO_OCCURS]-(b)
            SET edge.weight = 1 + $more, edge.rank = 1.0 + $more
            WITH d, a, b UNWIND range(1, $more) AS number
            CREATE (c:Chunk {id: $memory + ':x' + number, memory: $memory, ordinal: number, text: 'cue tin',
                tokens: 2, terms: 'cue tin', length: 2})-[:FROM_DOCUMENT]->(d)
            CREATE (c)-[:TAGGED]->(a), (c)-[:TAGGED]->(b)""",
            memory=memory,
            more=paper.MOST_CHUNKS,
        )
        found = ask(driver, memory, "cue", ranking="paper", limit=EVERYTHING)
        assert len(found.chunks) == paper.MOST_CHUNKS
        assert f"only {paper.MOST_CHUNKS} chunks of the edge cue – tin were looked at" in found.truncated
        assert [chunk.id for chunk in found.chunks] == sorted(chunk.id for chunk in found.chunks)
