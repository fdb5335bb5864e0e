from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from bamboo_neo4j.errors import InputError, MissingExtra, UsageError
from bamboo_neo4j.evaluate.baselines import bm25, dense, load_embeddings, words
from bamboo_neo4j.evaluate.datasets import Passage, read_dataset
from bamboo_neo4j.evaluate.retrieval import by_ranker, measure
from tests.unit.test_datasets import DATA, SETS

if TYPE_CHECKING:
    from pathlib import Path

POOL = [
    Passage("cat", "Cat", "The cat sat on the mat."),
    Passage("dog", "Dog", "The dog ran. The dog barked."),
    Passage("owl", "", "An owl sat."),
]


class Axes(Embeddings):
    """One axis a word of the vocabulary; the length of a vector must not matter to a cosine."""

    vocabulary = ("cat", "dog", "sat")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[3.0 * words(text).count(word) for word in self.vocabulary] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_bm25_keeps_function_words_and_endings() -> None:
    assert words("The cats' 2nd NAP, naïve") == ["the", "cats", "2nd", "nap", "naïve"]


def test_bm25_ranks_by_the_rarer_word_first() -> None:
    assert bm25(POOL)("Which dog sat?", 3) == ["dog", "owl", "cat"]


def test_bm25_finds_nothing_without_a_shared_word() -> None:
    assert bm25(POOL)("zebra", 3) == []
    assert bm25(POOL)("", 3) == []
    assert bm25(POOL)("dogs", 3) == []


def test_equal_scores_keep_the_order_of_the_pool() -> None:
    twins = [Passage(str(number), "", "the same words") for number in range(9)]
    assert bm25(twins)("same words", 4) == ["0", "1", "2", "3"]


def test_dense_ranks_by_cosine_not_by_length() -> None:
    done: list[int] = []
    rank = dense(POOL, Axes(), progress=done.append)
    # cat is (2, 0, 1) times 3, dog (0, 3, 0), owl (0, 0, 1): cosines with (0, 0, 1) are 1/√5, 0 and 1
    assert rank("sat", 3) == ["owl", "cat", "dog"]
    assert rank("dog dog dog", 1) == ["dog"]
    assert sum(done) == 3
    assert math.isclose(1 / math.sqrt(5), 0.4472, abs_tol=1e-4)


def test_any_langchain_embeddings_will_do() -> None:
    rank = dense(POOL, DeterministicFakeEmbedding(size=16))
    assert rank(POOL[1].content, 1) == ["dog"]


def test_embeddings_that_give_no_vectors_of_one_length_are_named() -> None:
    class Ragged(Axes):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] * (1 + number) for number, _ in enumerate(texts)]

    with pytest.raises(InputError, match="no 3 vectors of one length"):
        dense(POOL, Ragged())


def test_embeddings_are_loaded_as_module_and_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "users_embeddings.py").write_text(
        "from langchain_core.embeddings import DeterministicFakeEmbedding as Fake\n"
        "ready = Fake(size=4)\n"
        "def make(): return Fake(size=4)\n"
        "number = 3\n"
        "def broken(): raise RuntimeError('no model')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert len(load_embeddings("users_embeddings:ready").embed_query("x")) == 4
    assert len(load_embeddings("users_embeddings:make").embed_query("x")) == 4
    for name, reason in {
        "users_embeddings": "names no embeddings",
        "users_embeddings:number": "is a int, no embeddings",
        "users_embeddings:broken": "no model",
        "users_embeddings:absent": "absent",
        "no_such_module:x": "no_such_module",
    }.items():
        with pytest.raises(UsageError, match=reason):
            load_embeddings(name)


@pytest.mark.parametrize(("package", "build"), [("bm25s", bm25), ("numpy", lambda pool: dense(pool, Axes()))])
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, build: object
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"(?s){package}.*bamboo-neo4j\[eval\]"):
        build(POOL)  # type: ignore[operator]


# What BM25 with k1 1.2, b 0.75, lower-cased words, no stemming and no stop words finds, in per cent: R@5.
BM25 = {"hotpotqa": 75.0, "musique": 46.5, "2wikimultihopqa": 64.6, "lihua_world": 79.2, "tldr": 62.8}


@pytest.mark.skipif(not DATA.is_dir(), reason="BAMBOO_DATA names no folder of data sets")
@pytest.mark.parametrize("name", SETS)
def test_bm25_finds_in_the_public_sets_what_was_published(name: str) -> None:
    dataset = read_dataset(DATA / f"{each}.jsonl.gz" for each in SETS[name][0])
    method = by_ranker(bm25(dataset.passages), dict.fromkeys((each.id for each in dataset.passages), 1))
    scores = measure("BM25", method, dataset.scored).scores
    assert 100 * scores.recall[5] == pytest.approx(BM25[name], abs=0.1)
