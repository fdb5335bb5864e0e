from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from neo4j import Driver

    from tests.plugin import Bamboo

CHECKOUT = Path(__file__).resolve().parents[2]

PASSAGES = {
    "Green Lantern Mill": "The Green Lantern Mill was built by Orla Venn in 1871 on the river Tarn.",
    "Orla Venn": "Orla Venn was an engineer born in Port Ashby. She also designed two bridges.",
    "Port Ashby": "Port Ashby is a harbour town known for its salt and its blue ferries.",
    "Tarn": "The Tarn is a river that rises in the Hollin hills.",
    "Pell Weaver": "Pell Weaver painted the ferries of Port Ashby for forty years.",
    "Hollin hills": "The Hollin hills are made of slate. Sheep graze there.",
}
QUESTIONS = [
    (
        "q1",
        "Where was the engineer who built the Green Lantern Mill born?",
        ["Green Lantern Mill", "Orla Venn"],
    ),
    ("q2", "In which hills does the river of the Green Lantern Mill rise?", ["Green Lantern Mill", "Tarn"]),
    ("q3", "What did Pell Weaver paint?", ["Pell Weaver"]),
]


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    rows: list[dict[str, object]] = [
        {"id": title, "title": title, "text": text} for title, text in PASSAGES.items()
    ]
    for name, question, evidence in QUESTIONS:
        kind = "bridge" if len(evidence) > 1 else "single"
        rows.append({"id": name, "question": question, "evidence": evidence, "type": kind})
    rows.append({"id": "q4", "question": "Who sold the salt?", "evidence": []})
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def eval_memories(driver: Driver) -> dict[str, int]:
    found = driver.execute_query(
        "MATCH (m:BambooMemory) WHERE m.name STARTS WITH 'eval-' RETURN m.name AS name, m.chunks AS chunks"
    )
    return {record["name"]: record["chunks"] for record in found.records}


def run_without_server(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bamboo_neo4j", "--uri", "bolt://127.0.0.1:1", "eval", "retrieval", *args],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_missing_file_is_named_in_one_line_before_any_server_is_asked(tmp_path: Path) -> None:
    done = run_without_server(str(tmp_path / "none.jsonl"))
    assert done.returncode == 1
    assert "none.jsonl' cannot be read: No such file or directory" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not done.stdout


def test_questions_without_gold_cannot_be_measured(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "c", "text": "Tea."}\n{"question": "Why?", "evidence": []}\n', encoding="utf-8")
    done = run_without_server(str(path))
    assert done.returncode == 1
    assert "no question has gold passages" in done.stderr


def test_embeddings_that_cannot_be_loaded_are_said_before_anything_is_memorised(small_set: Path) -> None:
    done = run_without_server(str(small_set), "--embeddings", "no_such_module:x")
    assert done.returncode == 2
    assert "no_such_module" in done.stderr


def test_an_unreachable_server_is_exit_code_4(small_set: Path) -> None:
    assert run_without_server(str(small_set)).returncode == 4


def test_one_table_compares_both_rankings_and_bm25(bamboo: Bamboo, small_set: Path, driver: Driver) -> None:
    before = eval_memories(driver)
    done = bamboo("eval", "retrieval", str(small_set))
    assert done.returncode == 0, done.stderr
    caption, headings, *rows = done.stdout.splitlines()
    assert caption == "6 passages, 3 questions; 1 without gold passages left out"
    assert headings.split() == ["R@2", "R@5", "R@10", "R@20", "AR@5", "tokens", "ms", "nothing"]
    assert [row.split()[0] for row in rows] == ["bamboo", "paper", "BM25"]
    assert rows[0].split()[4] == "100.0"  # six passages are fewer than twenty
    assert eval_memories(driver) == before, "the memory of the evaluation is deleted again"


def test_json_has_every_figure_and_the_kinds(bamboo: Bamboo, small_set: Path) -> None:
    done = bamboo("eval", "retrieval", str(small_set), "--ranking", "bamboo", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["passages"], report["questions"], report["unscored"]) == (6, 3, 1)
    ours, bm25 = report["methods"]
    assert (ours["method"], bm25["method"]) == ("bamboo", "BM25")
    assert ours["recall@20"] == 1
    assert ours["all_recall@5"] <= ours["recall@5"] <= 1
    assert ours["tokens"] > 0
    assert ours["milliseconds"] > 0
    assert ours["nothing"] == 0
    assert {kind: of["questions"] for kind, of in ours["kinds"].items()} == {"bridge": 2, "single": 1}


def test_fewer_questions_and_rows_by_kind(bamboo: Bamboo, small_set: Path) -> None:
    done = bamboo(
        "eval", "retrieval", str(small_set), "--limit", "1", "--ranking", "bamboo", "--baseline", "none"
    )
    assert done.stdout.splitlines()[0].startswith("6 passages, 1 questions")
    assert [row.split()[0] for row in done.stdout.splitlines()[2:]] == ["bamboo"]
    done = bamboo("eval", "retrieval", str(small_set), "--by-kind", "--ranking", "bamboo")
    assert "  bridge (2)" in done.stdout
    assert "  single (1)" in done.stdout


def test_a_kept_memory_is_used_again(bamboo: Bamboo, small_set: Path, driver: Driver) -> None:
    before = eval_memories(driver)
    for _ in range(2):
        done = bamboo("eval", "retrieval", str(small_set), "--keep", "--ranking", "bamboo")
        assert done.returncode == 0, done.stderr
        kept = dict(eval_memories(driver).items() - before.items())
        assert list(kept.values()) == [6]
    (name,) = kept
    assert bamboo("--memory", name, "forget", "--all", "--yes").returncode == 0


def test_a_question_for_which_nothing_is_recalled_counts_as_zero(bamboo: Bamboo, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [
        {"id": "c", "title": "Tea", "text": "Green tea is made of leaves."},
        {"id": "q1", "question": "What is tea?", "evidence": ["c"]},
        {"id": "q2", "question": "Zxqv?", "evidence": ["c"]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ours = json.loads(bamboo("eval", "retrieval", str(path), "--ranking", "bamboo", "--json").stdout)[
        "methods"
    ][0]
    assert (ours["nothing"], ours["recall@5"]) == (1, 0.5)


def test_dense_takes_any_langchain_embeddings(bamboo: Bamboo, small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from langchain_core.embeddings import DeterministicFakeEmbedding\n"
        "model = DeterministicFakeEmbedding(size=8)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(CHECKOUT)])
    done = bamboo("eval", "retrieval", str(small_set), "--embeddings", "mine:model", env={"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert [row.split()[0] for row in done.stdout.splitlines()[2:]] == ["bamboo", "paper", "BM25", "dense"]


def test_the_picture_is_a_png(bamboo: Bamboo, small_set: Path, tmp_path: Path) -> None:
    picture = tmp_path / "bars.png"
    done = bamboo("eval", "retrieval", str(small_set), "--picture", str(picture))
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_evaluation_deletes_its_memory(
    bamboo: Bamboo, small_set: Path, driver: Driver, tmp_path: Path, stop: int, code: int
) -> None:
    (tmp_path / "interrupting.py").write_text(
        "import os, signal\n"
        "from langchain_core.embeddings import DeterministicFakeEmbedding\n"
        "class Model(DeterministicFakeEmbedding):\n"
        "    def embed_query(self, text):\n"
        f"        os.kill(os.getpid(), {stop:d})\n"
        "        return super().embed_query(text)\n"
        "model = Model(size=8)\n"
    )
    before = eval_memories(driver)
    path = os.pathsep.join([str(tmp_path), str(CHECKOUT)])
    done = bamboo(
        "eval", "retrieval", str(small_set), "--embeddings", "interrupting:model", env={"PYTHONPATH": path}
    )
    assert done.returncode == code
    assert not done.stdout
    assert eval_memories(driver) == before


def test_learning_is_measured_on_both_halves_and_leaves_nothing(
    bamboo: Bamboo, small_set: Path, driver: Driver
) -> None:
    before = eval_memories(driver)
    done = bamboo("eval", "learning", str(small_set), "--seeds", "2", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["passages"], report["questions"]) == (6, 3)
    assert [trial["episodes"] for trial in report["trials"]] == [1, 1]
    mean = report["mean"]
    assert list(mean) == ["repeated and related", "repeated", "related", "unrelated"]
    assert mean["repeated"]["questions"] == 2
    assert mean["repeated"]["adaptive"] >= mean["repeated"]["frozen"]
    assert eval_memories(driver) == before, "the memory of the evaluation is deleted again"
    done = bamboo("eval", "learning", str(small_set), "--limit", "1")
    assert (done.returncode, "fewer than two questions" in done.stderr) == (1, True)


def test_the_tables_of_plasticity_show_use_gating_and_what_each_validator_holds_back(
    bamboo: Bamboo, driver: Driver
) -> None:
    before = eval_memories(driver)
    done = bamboo("eval", "plasticity", str(CHECKOUT / "examples" / "apollo"), "--cycles", "4", "--json")
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout)
    used = [row["used"] for row in tables["strengths"]]
    unused = [row["unused"] for row in tables["strengths"]]
    for earlier, later in itertools.pairwise(used):
        assert later == pytest.approx(earlier + 0.1 * (1 - earlier))
    assert unused == sorted(unused, reverse=True)
    assert unused[-1] < unused[0]
    frozen = {row["question"]: row["frozen_confidence"] for row in tables["turns"]}
    assert [row["frozen_confidence"] for row in tables["turns"]] == [
        frozen[row["question"]] for row in tables["turns"]
    ]
    assert tables["turns"][-1]["adaptive_confidence"] > tables["turns"][1]["adaptive_confidence"]
    held = {row["without"]: row for row in tables["ablations"]}
    assert list(held) == ["nothing", "logical", "grounding", "alignment", "all of them"]
    for name in ("logical", "grounding", "alignment"):
        assert held["nothing"]["spoiled"] < held[name]["spoiled"] < held["all of them"]["spoiled"]
    assert held["nothing"]["sound"] == held["all of them"]["sound"]
    assert eval_memories(driver) == before, "the memories of the experiments are deleted again"
