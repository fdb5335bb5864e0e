"""The write protocol on a real server: exact after re-runs, updates, deletes and concurrent writers."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bamboo_neo4j.errors import DatabaseError, NotFound
from bamboo_neo4j.graph import check, schema
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.memorise import writing
from bamboo_neo4j.memorise.wiping import wipe
from bamboo_neo4j.memorise.writing import Writer
from tests.graph.drafts import Content, draft, facts, stored_weights, weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver

    from bamboo_neo4j.memorise.writing import Draft

A: Content = [["x", "y"], ["y", "z", "x"]]
B: Content = [["y", "z"]]


@pytest.fixture
def client(driver: Driver) -> GraphClient:
    return GraphClient(driver, owns=False)


@pytest.fixture
def writer(client: GraphClient, memory_name: str) -> Iterator[Writer]:
    schema.prepare(client)
    schema.open_memory(client, memory_name, language="en", normaliser="test")
    yield Writer(client, memory=memory_name, normaliser="test")
    assert list(check.find_faults(client, memory_name)) == []
    wipe(client, memory_name)


def test_weight_is_the_number_of_chunks_that_hold_both_tags(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "a", A), draft(memory_name, "b", B)])
    assert stored_weights(driver, memory_name) == {("x", "y"): 2, ("x", "z"): 1, ("y", "z"): 2}


def test_p11_writing_the_same_document_again_changes_nothing(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "a", A)])
    before = facts(driver, memory_name)
    written = writer.write([draft(memory_name, "a", A)])
    assert written.unchanged == {"a"}
    assert facts(driver, memory_name) == before


def test_an_update_takes_back_exactly_what_the_old_text_gave(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    new: Content = [["y", "z", "x"], ["q", "y"], ["y", "z", "x"]]
    writer.write([draft(memory_name, "a", A), draft(memory_name, "b", B)])
    writer.write([draft(memory_name, "a", new)])
    assert stored_weights(driver, memory_name) == weights([new, B])


def test_an_update_keeps_what_was_learned_on_an_edge_both_versions_have(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "a", [["x", "y"]])])
    learn = "MATCH (:Tag {memory: $m, key: 'x'})-[r:CO_OCCURS]-() SET r += $learned"
    learned = {"strength": 0.8, "rank": 1.6, "usedStrength": 0.8, "usedCycle": 0, "activations": 1}
    driver.execute_query(learn, m=memory_name, learned=learned)
    writer.write([draft(memory_name, "a", [["x", "y", "new"]])])
    read = """MATCH (:Tag {memory: $m, key: 'x'})-[r:CO_OCCURS]-(:Tag {key: 'y'})
        RETURN r.strength, r.rank, r.weight"""
    assert driver.execute_query(read, m=memory_name).records[0].values() == [0.8, 1.6, 1]


def test_p13_forgetting_leaves_what_other_documents_gave(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "b", B)])
    before = facts(driver, memory_name)
    writer.write([draft(memory_name, "a", A)])
    assert writer.forget("a") == 2
    assert facts(driver, memory_name) == before
    with pytest.raises(NotFound):
        writer.forget("a")
    writer.forget("b")
    assert facts(driver, memory_name) == [("memory", 0, 0, "en")]


def test_long_documents_are_taken_back_in_several_transactions(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    long: Content = [["x", f"n{number}"] for number in range(2 * writing.STALE_LIMIT + 5)]
    writer.write([draft(memory_name, "a", long)])
    assert writer.forget("a") == len(long)
    assert facts(driver, memory_name) == [("memory", 0, 0, "en")]


def test_an_id_that_belongs_to_another_source_is_refused_without_replace(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "a", A, uri="file:///one")])
    before = facts(driver, memory_name)
    written = writer.write([draft(memory_name, "a", B, uri="file:///two")])
    assert written.conflicts == {"a": "file:///one"}
    assert facts(driver, memory_name) == before


def test_a_damaged_edge_stops_the_write_that_meets_it(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    writer.write([draft(memory_name, "a", A)])
    driver.execute_query("MATCH (:Tag {memory: $m, key: 'x'})-[r:CO_OCCURS]-() DELETE r", m=memory_name)
    with pytest.raises(DatabaseError, match="damaged"):
        writer.forget("a")
    for key, other, weight in (("x", "y", 2), ("x", "z", 1)):
        driver.execute_query(
            "MATCH (a:Tag {memory: $m, key: $a}), (b:Tag {memory: $m, key: $b}) "
            "WITH CASE WHEN a.id < b.id THEN a ELSE b END AS a, CASE WHEN a.id < b.id THEN b ELSE a END AS b "
            "CREATE (a)-[:CO_OCCURS {src: a.id, dst: b.id, weight: $w, rank: toFloat($w)}]->(b)",
            m=memory_name,
            a=key,
            b=other,
            w=weight,
        )


def test_weights_are_exact_while_writers_add_change_and_forget_the_same_documents(
    writer: Writer, client: GraphClient, driver: Driver, memory_name: str
) -> None:
    versions: list[Content] = [A, B, [["x", "q"], ["y"]], [["z", "q", "y"]]]
    errors: list[Exception] = []

    def work(seed: int) -> None:
        own = Writer(client, memory=memory_name, normaliser="test")
        try:
            for step in range(12):
                document = f"d{(seed + step) % 3}"
                if (seed * 7 + step) % 4 == 0:
                    try:
                        own.forget(document)
                    except NotFound:
                        continue
                else:
                    own.write([draft(memory_name, document, versions[(seed + step) % 4])])
        except Exception as error:  # noqa: BLE001 - any of them fails the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    final = {"d0": A, "d1": B, "d2": versions[2]}
    for document, content in final.items():
        writer.write([draft(memory_name, document, content)])
    assert stored_weights(driver, memory_name) == weights(final.values())


_CONTENT = st.lists(
    st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=4, unique=True), min_size=1, max_size=4
)
_STEPS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.none() | _CONTENT), min_size=1, max_size=8)


@hypothesis_settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=_STEPS)
def test_any_sequence_of_writes_equals_writing_the_last_versions_only(
    client: GraphClient, driver: Driver, memory_name: str, steps: list[tuple[str, Content | None]]
) -> None:
    schema.prepare(client)
    wipe(client, memory_name)
    schema.open_memory(client, memory_name, language="en", normaliser="test")
    writer = Writer(client, memory=memory_name, normaliser="test")
    last: dict[str, Content] = {}
    for document, content in steps:
        if content is not None:
            last[document] = content
            writer.write([draft(memory_name, document, content)])
        elif last.pop(document, None) is not None:
            writer.forget(document)
    assert stored_weights(driver, memory_name) == weights(last.values())
    assert list(check.find_faults(client, memory_name)) == []
    wipe(client, memory_name)


def _shares(whole: Draft, size: int) -> list[Draft]:
    parts = [whole.chunks[start : start + size] for start in range(0, len(whole.chunks), size)]
    last = len(parts) - 1
    return [
        replace(whole, chunks=part, order=whole.order if place == last else None)
        for place, part in enumerate(parts)
    ]


def test_a_document_is_not_whole_when_another_process_took_back_one_of_its_shares(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    first, second = _shares(draft(memory_name, "a", [["x", "y"], ["y", "z"]]), 1)
    writer.write([first])
    writer.forget("a")
    assert writer.write([second]).vanished == {"a"}
    read = "MATCH (d:Document {memory: $m}) RETURN d.contentHash AS hash"
    assert driver.execute_query(read, m=memory_name).records[0]["hash"] is None


def test_a_document_is_not_whole_while_a_chunk_has_the_tags_of_another_tagger(
    writer: Writer, driver: Driver, memory_name: str
) -> None:
    one, two = draft(memory_name, "a", [["x", "y"]]), draft(memory_name, "a", [["x", "y"], ["y", "z"]])
    writer.write([one])
    again = replace(two, tagger="other", chunks=tuple(replace(chunk, recipe="other") for chunk in two.chunks))
    assert writer.write([replace(again, chunks=again.chunks[1:])]).vanished == {"a"}
    assert writer.write([again]).vanished == set()
    assert stored_weights(driver, memory_name) == {("x", "y"): 1, ("y", "z"): 1}


def test_a_chunk_counted_on_as_stored_must_be_of_the_same_recipe(writer: Writer, memory_name: str) -> None:
    whole = draft(memory_name, "a", A)
    writer.write([whole])
    reused = replace(
        whole, tagger="other", content_hash="other", reused=frozenset(chunk.id for chunk in whole.chunks)
    )
    assert writer.write([reused]).vanished == {"a"}
