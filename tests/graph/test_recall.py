"""Recall on a real server: the same as by hand, over edges that exist, and without a trace."""

from __future__ import annotations

import json
from math import isclose, log
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import NotFound, NothingRecalled, OtherWordRules
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.recall import cues as rules
from bamboo_neo4j.recall import ranking, reading
from bamboo_neo4j.recall.retrieve import explain
from bamboo_neo4j.records import Document, Recall, RecalledChunk, Via
from tests.graph.made_up import passages, questions
from tests.graph.recalling import (
    ENGLISH,
    EVERYTHING,
    Asked,
    Given,
    ask,
    everything,
    recall,
    reference,
    remembered,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neo4j import Driver

    from bamboo_neo4j.recall.ranking import Ranked
    from tests.graph.drafts import Content

PASSAGES = 160


class Filled(NamedTuple):
    """A memory of made-up passages and what it should agree with."""

    driver: Driver
    name: str
    mirror: Given
    seed: int

    @property
    def asked(self) -> Asked:
        return Asked(GraphClient(self.driver, owns=False))


@pytest.fixture(scope="module", params=[(1, True), (2, False)], ids=["titles", "no titles"])
def filled(request: pytest.FixtureRequest, driver: Driver) -> Iterator[Filled]:
    seed, titles = request.param
    with remembered(driver, passages(seed, PASSAGES, titles=titles)) as name:
        yield Filled(driver, name, reference(driver, name), seed)


def recalled(filled: Filled, question: str, **options: int) -> Recall | None:
    try:
        return ask(filled.driver, filled.name, question, limit=EVERYTHING, **options)
    except NothingRecalled:
        return None


# The same as in plain dictionaries.


def same(found: Recall, expected: list[Ranked]) -> None:
    """Equal chunks in equal order with equal scores; chunks whose scores are one number may change places."""
    mine = [(chunk.id, chunk.score) for chunk in found.chunks]
    theirs = [(each.candidate.id, each.score) for each in expected]
    assert {name for name, _ in mine} == {name for name, _ in theirs}
    scores = dict(theirs)
    for (name, score), (other, expected_score) in zip(mine, theirs, strict=True):
        assert isclose(score, scores[name], rel_tol=1e-9, abs_tol=1e-12)
        assert name == other or isclose(score, expected_score, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_recall_through_the_graph_equals_recall_in_plain_dictionaries(filled: Filled, seed: int) -> None:
    compared = 0
    for question in questions(seed, 25):
        asked = filled.asked
        try:
            found = recall(asked, filled.name, question, limit=EVERYTHING, first=0)
        except NothingRecalled:
            _, cues = filled.mirror.cues(question)
            assert not cues
            continue
        row = asked.rows["recall/candidates"][0]
        filled.mirror.given = row["found"]
        same(found, filled.mirror.recall(question, EVERYTHING))
        compared += 1
    assert compared >= 20


def test_the_index_finds_every_chunk_with_one_of_the_words_it_is_asked_for(filled: Filled) -> None:
    complete = 0
    filled.mirror.given = None
    for question in questions(14, 30):
        asked = filled.asked
        try:
            recall(asked, filled.name, question, first=0)
        except NothingRecalled:
            continue
        expected = filled.mirror.found(filled.mirror.cues(question)[1])
        found = asked.rows["recall/candidates"][0]["found"]
        assert len(found) == len(set(found)) <= reading.FOUND
        if len(expected) < reading.FOUND:
            assert set(found) == set(expected)
            complete += 1
    assert complete >= 5


def test_cues_and_unknown_words_are_those_of_the_texts(filled: Filled) -> None:
    for question in questions(15, 20):
        _, cues = filled.mirror.cues(question)
        found = recalled(filled, question, first=0)
        if found is not None:
            assert [cue.tag for cue in found.cues if cue.tag] == [cue.tag.name for cue in cues.tags]
            assert [cue.word for cue in found.cues if cue.word] == list(cues.words)
            assert found.unknown == cues.unknown


def test_the_same_question_gives_the_same_answer(filled: Filled) -> None:
    for question in questions(16, 8):
        one, two = (recalled(filled, question) for _ in range(2))
        assert (one and one.chunks, one and one.associations) == (
            two and two.chunks,
            two and two.associations,
        )


# Paths.


def edges(driver: Driver, memory: str) -> dict[frozenset[str], tuple[int, float]]:
    rows = driver.execute_query(
        """MATCH (a:Tag {memory: $memory})-[r:CO_OCCURS]->(b:Tag)
        RETURN a.name AS a, b.name AS b, r.weight AS weight, coalesce(r.strength, 0.5) AS strength""",
        memory=memory,
    ).records
    return {frozenset((row["a"], row["b"])): (row["weight"], row["strength"]) for row in rows}


def test_every_edge_that_led_to_a_chunk_is_in_the_graph_with_the_weight_that_is_said(filled: Filled) -> None:
    known = edges(filled.driver, filled.name)
    tags = {tag.name: tag for tag in filled.mirror.tags.values()}
    degrees = set()
    for question in questions(17, 15):
        found = recalled(filled, question, first=0)
        for chunk in found.chunks if found else ():
            for via in chunk.via:
                assert via.source != via.target
                assert known[frozenset((via.source, via.target))] == (via.weight, via.strength)
                assert via.weight == len(tags[via.source].chunks & tags[via.target].chunks)
                degrees.add(via.degree)
    assert degrees == {1, 2}


def test_a_path_goes_from_the_question_over_the_link_to_what_the_chunk_is_about(filled: Filled) -> None:
    mirror = filled.mirror
    degrees = set()
    for question in questions(18, 20):
        asked = filled.asked
        try:
            found = recall(asked, filled.name, question, limit=EVERYTHING, first=0)
        except NothingRecalled:
            continue
        mirror.given = asked.rows["recall/candidates"][0]["found"]
        _, cues = mirror.cues(question)
        expected = {
            each.candidate.id: path(mirror, each, [cue.tag.id for cue in cues.tags])
            for each in mirror.recall(question, EVERYTHING)
        }
        for chunk in found.chunks:
            said = {(via.source, via.target, via.degree) for via in chunk.via}
            assert said == expected[chunk.id]
            degrees.add(tuple(sorted(via.degree for via in chunk.via)))
    assert {(), (1,), (1, 2)} <= degrees


def path(mirror: Given, ranked: Ranked, cues: list[int]) -> set[tuple[str, str, int]]:
    """The edges from the question to a chunk, by the names of their tags."""

    def held(chunk: str) -> list[int]:
        return [cue for cue in cues if cue in mirror.chunk_tags[chunk]]

    mine = ranked.candidate.about[:1]
    steps: set[tuple[int, int, int]] = set()
    if ranked.link is not None and ranked.source is not None:
        over = ranked.link.tag
        steps = {(start, over, 1) for start in held(ranked.source.id) or ranked.source.about[:1]}
        steps |= {(over, tag, 2) for tag in mine}
        steps = {step for step in steps if step[0] != step[1]}
    if not steps:
        steps = {(cue, tag, 1) for cue in held(ranked.candidate.id) for tag in mine if cue != tag}
    names = {number: tag.name for number, tag in mirror.by_id.items()}
    return {(names[start], names[end], degree) for start, end, degree in steps}


def test_explain_draws_just_the_paths_and_the_chunks_they_led_to(filled: Filled) -> None:
    drawn = 0
    with Memory.open(filled.name, driver=filled.driver) as memory:
        for question in questions(19, 6):
            try:
                found = memory.recall(question, limit=5)
            except NothingRecalled:
                continue
            rows = filled.driver.execute_query(memory.explain(found)).records
            paths = {frozenset(node["name"] for node in row["path"].nodes) for row in rows}
            assert paths == {
                frozenset((via.source, via.target)) for chunk in found.chunks for via in chunk.via
            }
            ends = {row["about"].start_node["id"] for row in rows if row["about"] is not None}
            assert ends == {chunk.id for chunk in found.chunks if chunk.via}
            drawn += len(paths)
    assert drawn


@pytest.mark.parametrize(
    "name",
    [
        "it's",
        'say "x"',
        "back\\slash",
        "\\'",
        "\\u0041",
        "a\nb\tc\0d",
        "$memory $edges",
        "{x: 1}",
        "`b` // c",
    ],
)
def test_an_explanation_means_the_names_it_holds(driver: Driver, name: str) -> None:
    chunk = RecalledChunk("c", "d", "", 0, "", 1, 1.0, (Via(name, "\U0001f600\u200b", 1, 1, 0.5),))
    found = Recall("q", "notes", "bamboo", (), (), (), (chunk,), 0, (), (), 0.0)
    text = explain(found, "RETURN $memory AS memory, $edges AS edges")
    row = driver.execute_query(text).records[0]
    assert (row["memory"], row["edges"]) == ("notes", [[name, "\U0001f600\u200b", "c"]])


# What it costs the server, and what it leaves.


def test_chunks_take_three_round_trips_and_associations_one_more(filled: Filled) -> None:
    chunks = ["recall/candidates", "recall/links", "recall/evidence"]
    words, tags = filled.mirror.postings, filled.mirror.tags
    no_tag = next(
        word for word in words if word not in tags and word.isalpha() and not ENGLISH.is_generic(word)
    )
    for question, first, names in (
        ("Ada Karlo measured copber", 0, chunks),
        ("Ada Karlo measured copber", 5, [*chunks, "recall/associate"]),
        (no_tag, 5, chunks),
    ):
        asked = filled.asked
        found = recall(asked, filled.name, question, first=first)
        assert asked.names == names == list(found.statements)
        assert all(len(asked.rows[name]) == 1 for name in chunks)


def test_recall_never_writes(driver: Driver) -> None:
    with remembered(driver, passages(3, 12, titles=True)) as name, Memory.open(name, driver=driver) as memory:
        before = everything(driver, name)
        for number, question in enumerate(questions(20, 100)):
            try:
                memory.recall(question, ranking="paper" if number % 4 == 0 else "bamboo")
                memory.neighbours("Ada Karlo", second=3)
            except (NothingRecalled, NotFound):
                pass
        assert everything(driver, name) == before


# Several memories.


def test_memories_do_not_leak_into_each_other(driver: Driver) -> None:
    mine, theirs = passages(4, 40, titles=True), passages(5, 60, titles=True)
    asked = questions(21, 12)
    with remembered(driver, mine) as name:
        alone = [answer(driver, name, question) for question in asked]
        assert sum(each is not None for each in alone) >= 10
        with remembered(driver, [*theirs, *mine]) as other:
            assert [answer(driver, name, question) for question in asked] == alone
            for question in asked:
                found = ask(driver, other, question, limit=EVERYTHING)
                assert {chunk.id.partition(":")[0] for chunk in found.chunks} == {other}
            with Memory.open(name, driver=driver) as memory:
                drawn = driver.execute_query(memory.explain(memory.recall(asked[0]))).records
                assert {node["memory"] for row in drawn for node in row["path"].nodes} == {name}


def answer(driver: Driver, memory: str, question: str) -> tuple[object, ...] | None:
    try:
        found = ask(driver, memory, question)
    except NothingRecalled:
        return None
    return found.cues, found.unknown, found.chunks, found.associations, found.truncated


def test_a_memory_whose_name_begins_like_another_is_another(driver: Driver) -> None:
    with written(driver, {"a": [["copper", "tin"]]}) as name:
        other = f"{name}-b"
        with Memory.open(other, driver=driver) as memory:
            memory.remember([Document("b", "", "Copper", "Copper and zinc.", "text/plain")])
            try:
                assert [chunk.document for chunk in ask(driver, name, "copper").chunks] == ["a"]
                assert [chunk.document for chunk in ask(driver, other, "copper").chunks] == ["b"]
                assert ask(driver, name, "copper zinc").unknown == ("zinc",)
            finally:
                memory.forget_all()


# What the memory is like.


def test_a_memory_that_is_not_there_or_empty_says_so(driver: Driver, memory_name: str) -> None:
    with pytest.raises(NothingRecalled, match="empty"):
        ask(driver, memory_name, "copper")
    with written(driver, {}) as name, pytest.raises(NothingRecalled, match="empty"):
        ask(driver, name, "copper")


def test_a_memory_of_another_normaliser_is_refused(driver: Driver) -> None:
    with written(driver, {"a": [["copper"]]}) as name:
        set_it = "MATCH (m:BambooMemory {name: $name}) SET m.normaliser = 'other'"
        driver.execute_query(set_it, name=name)
        with pytest.raises(OtherWordRules, match="other word rules"):
            ask(driver, name, "copper")


def test_what_another_process_takes_back_meanwhile_is_left_out(driver: Driver) -> None:
    content = {name: [["copper", name]] for name in ("tin", "zinc", "lead")}
    with written(driver, content) as name, Memory.open(name, driver=driver) as memory:

        class Late(Asked):
            def __call__(self, statement: str, parameters: Mapping[str, object], /) -> list[dict[str, Any]]:
                if statement == "recall/evidence":
                    memory.forget("tin")
                return super().__call__(statement, parameters)

        found = recall(Late(GraphClient(driver, owns=False)), name, "copper")
        assert sorted(chunk.document for chunk in found.chunks) == ["lead", "zinc"]


def test_a_chunk_that_only_its_link_brings_is_found_over_a_tag_the_question_does_not_name(
    driver: Driver,
) -> None:
    content = {
        "green": [["green album", "ada kern", "copper"]],
        "wedding": [["ada kern", "leo brandt"]],
        "other": [["zinc", "lead"]],
    }
    with written(driver, content) as name:
        found = ask(driver, name, "copper on the Green Album")
        by_document = {chunk.document: chunk for chunk in found.chunks}
        assert list(by_document) == ["green", "wedding"]
        via = [(each.source, each.target, each.degree) for each in by_document["wedding"].via]
        assert sorted(via) == [("copper", "ada kern", 1), ("green album", "ada kern", 1)]


def test_a_tag_whose_words_stand_in_no_text_is_known_and_brings_what_it_is_about(driver: Driver) -> None:
    with written(driver, {"a": [["graphic card", "lead"]], "b": [["tin", "graphic card"]]}) as name:
        hide = """MATCH (w:Word {memory: $name}) WHERE w.name IN ['graphic', 'card'] DELETE w
            WITH count(*) AS words MATCH (c:Chunk {memory: $name}) SET c.terms = 'gpu'"""
        driver.execute_query(hide, name=name)
        found = ask(driver, name, "Which graphics card?")
        assert [cue.tag for cue in found.cues] == ["graphic card"]
        assert [chunk.document for chunk in found.chunks] == ["a"]
        assert {each.tag for each in found.associations} == {"lead", "tin"}


def test_names_with_more_chunks_than_are_ranked_still_bring_all_their_chunks(driver: Driver) -> None:
    # 45 chunks about each of two names: all 90 are ranked, however few the index's own are.
    content = [[f"{name} town", f"w{number}q"] for name in ("alpha", "beta") for number in range(45)]
    with written(driver, {"a": content}) as name:
        found = ask(driver, name, "Alpha Town and Beta Town", limit=EVERYTHING)
        assert len(found.chunks) == 90


def test_a_name_of_too_many_chunks_brings_none_of_them_by_itself(driver: Driver) -> None:
    content = [["alpha town", f"w{number}q"] for number in range(rules.MOST_ABOUT + 1)]
    with written(driver, {"a": content}) as name:
        asked = Asked(GraphClient(driver, owns=False))
        recall(asked, name, "Alpha Town")
        ((_, key, _, df, abouts, about),) = asked.rows["recall/candidates"][0]["tags"]
        assert (key, df, abouts, about) == ("alpha town", rules.MOST_ABOUT + 1, rules.MOST_ABOUT + 1, [])
        driver.execute_query("MATCH (c:Chunk {id: $id})-[r:ABOUT]->() DELETE r", id=chunk_of(asked))
        recall(asked, name, "Alpha Town")
        assert len(asked.rows["recall/candidates"][0]["tags"][0][5]) == rules.MOST_ABOUT


def chunk_of(asked: Asked) -> str:
    return str(asked.rows["recall/candidates"][0]["found"][0])


def test_the_rarest_words_are_always_asked_for_and_others_if_they_are_rare_enough(driver: Driver) -> None:
    words = [f"w{number}q" for number in range(reading.RAREST + 3)]
    few = int(1 / reading.COMMON) - 1
    for chunks, found in ((few, reading.RAREST), (few + 1, len(words))):
        other = [[f"x{number}q"] for number in range(chunks - len(words))]
        with written(driver, {"a": [[word] for word in words] + other}) as name:
            asked = Asked(GraphClient(driver, owns=False))
            recall(asked, name, " ".join(words))
            assert len(asked.rows["recall/candidates"][0]["found"]) == found


# Round 2 by hand: which tags lead on, and how far.


def bridged(driver: Driver, content: Content, change: str = "") -> dict[int, float]:
    """Ask for the first chunk's word; return the score of each chunk, by its place, without the best's."""
    with written(driver, {"a": content}) as name:
        if change:
            driver.execute_query(change, memory=name)
        return {chunk.ordinal: chunk.score for chunk in ask(driver, name, "cue", limit=EVERYTHING).chunks}


OTHER: Content = [[f"o{number}q"] for number in range(80)]


def expected_link(chunks: int, df: int, worth: float = 1.0) -> float:
    """What a chunk without a word of the question gains from the best one, which holds no strong name."""
    specificity = log(1 + (chunks - df + 0.5) / (df + 0.5)) / log(1 + chunks)
    constant = ranking.BRIDGE * (1 - ranking.RESIDUAL) * ranking.UNANCHORED
    return constant * worth * specificity


@pytest.mark.parametrize("abouts", [1, reading.LINK_ABOUT])
def test_a_tag_leads_to_the_chunks_about_it(driver: Driver, abouts: int) -> None:
    content = [["source", "cue", "bridge"], *([["bridge", f"w{n}q"] for n in range(abouts)]), *OTHER]
    scores = bridged(driver, content)
    assert scores[0] == 1.0
    assert {place for place in scores if place} == set(range(1, abouts + 1))
    assert scores[1] == pytest.approx(expected_link(len(content), abouts + 1))


def test_a_tag_that_many_chunks_are_about_leads_to_them_as_to_all_that_hold_it(driver: Driver) -> None:
    abouts = reading.LINK_ABOUT + 1
    content = [["source", "cue", "bridge"], *([["bridge", f"w{n}q"] for n in range(abouts)]), *OTHER]
    scores = bridged(driver, content)
    assert scores[1] == pytest.approx(expected_link(len(content), abouts + 1, reading.BODY))


@pytest.mark.parametrize("more", [0, 1])
def test_a_tag_of_many_chunks_leads_to_none_of_them_all_or_none(driver: Driver, more: int) -> None:
    held = reading.LINK_TAGGED + more  # the source is one of them
    content = [["source", "cue", "bridge"], *([[f"w{n}q", "bridge"] for n in range(held - 1)]), *OTHER]
    scores = bridged(driver, content)
    if more:
        assert set(scores) == {0}
    else:
        assert len(scores) == 1 + min(held - 1, ranking.FRESH)
        assert scores[1] == pytest.approx(expected_link(len(content), held, reading.BODY))


def test_phrases_lead_nowhere_unless_the_chunk_is_about_them(driver: Driver) -> None:
    content = [["source", "cue", "bridge"], ["bridge", "tin"], ["source", "zinc"], *OTHER]
    change = """MATCH (:Chunk {memory: $memory})-[r:TAGGED]->(t:Tag) WHERE t.key IN ['source', 'bridge']
        SET r.kind = 'phrase'"""
    assert set(bridged(driver, content)) == {0, 1, 2}
    assert set(bridged(driver, content, change)) == {0, 2}


def test_the_best_link_of_a_chunk_counts_and_of_equal_ones_the_last_tag_by_key(driver: Driver) -> None:
    content = [["source", "cue", "bridgea", "bridgeb"], ["bridgeb", "bridgea"], ["bridgea", "tin"], *OTHER]
    with written(driver, {"a": content}) as name:
        chunks = {chunk.ordinal: chunk for chunk in ask(driver, name, "cue").chunks}
        # Over bridgeb (2 chunks, about it) the way is shorter than over bridgea (3 chunks, in the text).
        assert chunks[1].score == pytest.approx(expected_link(len(content), 2))
        assert chunks[2].score == pytest.approx(expected_link(len(content), 3))
        assert [(via.source, via.target) for via in chunks[1].via] == [("cue", "bridgeb")]


def test_json_of_a_recall_is_plain_json(filled: Filled) -> None:
    from bamboo_neo4j.cli.recall import recall_json

    found = recalled(filled, "Ada Karlo copber")
    assert found
    assert json.loads(json.dumps(recall_json(found), allow_nan=False))["chunks"]
