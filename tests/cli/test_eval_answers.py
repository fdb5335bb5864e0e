from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bamboo_neo4j import Memory
from bamboo_neo4j.cli.app import bamboo as command_line
from bamboo_neo4j.evaluate.answers_report import HEADINGS
from bamboo_neo4j.evaluate.datasets import read_dataset
from bamboo_neo4j.models.prompting import load_prompt
from tests.scripted import Request, ScriptedServer
from tests.thinking import Brain, says

if TYPE_CHECKING:
    from bamboo_neo4j.graph.server import RunningServer
    from bamboo_neo4j.settings import Settings
    from tests.plugin import Bamboo

CHECKOUT = Path(__file__).resolve().parents[2]

ROWS: list[dict[str, object]] = [
    {"id": "mill", "title": "Mill", "text": "The Green Lantern Mill was built by Orla Venn in 1871."},
    {"id": "venn", "title": "Orla Venn", "text": "Orla Venn was an engineer born in Port Ashby."},
    {"id": "tarn", "title": "Tarn", "text": "The Tarn is a river that rises in the Hollin hills."},
    {
        "id": "q1",
        "question": "Who built the Green Lantern Mill?",
        "answer": "Orla Venn",
        "type": "single",
        "evidence": ["mill"],
    },
    {
        "id": "q2",
        "question": "Where was Orla Venn born?",
        "answer": "Port Ashby",
        "type": "single",
        "evidence": ["venn"],
    },
    {"id": "q3", "question": "Who owns the Hollin hills?", "answer": "Nobody", "evidence": []},
]
ANSWERS = {
    "Who built the Green Lantern Mill?": says("Orla Venn", "built by Orla Venn"),
    "Where was Orla Venn born?": says("In Port Ashby town", "born in Port Ashby"),
}
JUDGE = load_prompt("judge_answer")
PASSAGES = load_prompt("answer_passages")


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


class Model:
    """Answers as `ask` is scripted to, by "Paris" from memory, and by "Orla Venn" from passages."""

    def __init__(self) -> None:
        self.brain = Brain(answers=ANSWERS)

    def __call__(self, request: Request) -> object:
        system = request.messages[0]["content"]
        if system.startswith(JUDGE):
            return {"right": "Port Ashby" in request.messages[1]["content"].split("<answer>")[1]}
        if system.startswith(PASSAGES):
            return {"answer": "Orla Venn"}
        if system.startswith(load_prompt("answer_direct")):
            return {"answer": "Paris"}
        if system.startswith(load_prompt("answer_steps")):
            return {"thoughts": "It might be Paris.", "answer": "I don't know"}
        return self.brain(request)


def environment(server: ScriptedServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.url, "BAMBOO_MODEL": "scripted", "BAMBOO_MODEL_RETRIES": "0"}


def test_ask_is_measured_beside_simpler_ways_with_abstentions_a_judge_and_each_answer(
    bamboo: Bamboo, small_set: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results.jsonl"
    with ScriptedServer(Model()) as server:
        args = ("eval", "answers", str(small_set), "--results", str(results), "--judge", "scripted")
        done = bamboo(*args, "--json", env=environment(server))
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        asked = server.calls
        done = bamboo(*args, "--by-kind", env=environment(server))
        assert server.calls == asked, "a second run asks nothing"
    assert (report["questions"], report["unanswerable"], report["judge"]) == (3, 1, "scripted")
    direct, steps, passages, ask = report["methods"]
    assert (direct["correct"], direct["wrong"], direct["answer_in_context"]) == (0, 1, None)
    assert (steps["correct"], steps["abstained"], steps["wrong"]) == (0.3333, 0.6667, 0)
    assert (passages["correct"], passages["wrong"]) == (0.3333, 0.6667)
    assert (ask["correct"], ask["abstained"], ask["wrong"]) == (1, 0, 0)
    assert (passages["answer_in_context"], ask["answer_in_context"]) == (1, 1)
    assert (ask["exact_match"], direct["calls"], passages["calls"]) == (0.5, 1, 1)
    assert [each["answer"] for each in ask["answers"]] == ["Orla Venn", "In Port Ashby town", None]
    assert ask["kinds"]["not answerable"]["correct"] == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3 passages, 3 questions, 1 of them not answerable")
    assert lines[1].split() == list(HEADINGS[1:])
    assert "  not answerable (1)" in done.stdout
    assert "12 of 12 answers are in" in done.stderr


def test_ask_without_one_of_its_parts_costs_less_and_fails_where_that_part_was_needed(
    server: RunningServer, small_set: Path
) -> None:
    """In this process: what a killed or second process would see is tested elsewhere."""
    where = "Where was the builder of the Green Lantern Mill born?"
    row = {"question": where, "answer": "Port Ashby", "evidence": ["mill", "venn"]}
    small_set.write_text("\n".join(map(json.dumps, [*ROWS[:3], row])), encoding="utf-8")
    brain = Brain(
        plans={where: ["Who built the Green Lantern Mill?", "Where was #1 born?"]},
        answers=ANSWERS | {where: says("Port Ashby", "Answer: In Port Ashby town")},
    )
    with ScriptedServer(brain) as scripted:
        environ = {
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            **environment(scripted),
        }
        args = ["eval", "answers", str(small_set), "--method", "ask", "--ablations", "--json"]
        done = CliRunner().invoke(command_line, args, env=environ, catch_exceptions=False)
    whole, without_map, without_shared, without_check = json.loads(done.stdout)["methods"]
    assert (whole["method"], whole["correct"], whole["calls"]) == ("ask", 1, 7), (
        "a plan, three answers, three checks"
    )
    assert (without_map["method"], without_map["abstained"]) == ("ask --no-decompose", 1)
    assert without_map["calls"] < whole["calls"]
    assert (without_shared["method"], without_shared["correct"]) == ("ask --no-global", 1)
    assert (without_check["method"], without_check["calls"]) == ("ask --no-verify", 4)


def test_a_killed_run_goes_on_and_asks_nothing_twice(
    bamboo: Bamboo, server: RunningServer, small_set: Path, tmp_path: Path, settings: Settings
) -> None:
    results = tmp_path / "results.jsonl"
    model, running = Model(), threading.Event()
    child: list[subprocess.Popen[str]] = []

    def killing(request: Request) -> object:
        running.wait(60)
        if scripted.calls == 4:
            child[0].send_signal(signal.SIGKILL)
        return model(request)

    with ScriptedServer(killing) as scripted:
        args = ["eval", "answers", str(small_set), "--results", str(results), "--keep", "--method", "direct"]
        args += ["--method", "steps"]
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(CHECKOUT),
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            **environment(scripted),
        }
        command = [sys.executable, "-m", "bamboo_neo4j", *args]
        with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL, text=True) as process:
            child.append(process)
            running.set()
            assert process.wait(120) == -signal.SIGKILL
        assert len(results.read_text(encoding="utf-8").splitlines()) == 3
        done = bamboo(*args, env=environment(scripted))
        assert done.returncode == 0, done.stderr
        assert scripted.calls == 7, "three answers were kept, one was lost with the process, three are new"
    assert "3 of 6 answers are in" in done.stderr
    assert len(results.read_text(encoding="utf-8").splitlines()) == 6
    with Memory.open(f"eval-{read_dataset([small_set]).digest}", settings=settings) as kept:
        assert kept.stats()["documents"] == 3
        assert kept.questions() == (), "an evaluation stores no questions"
        kept.forget_all()


def test_without_a_model_it_is_said_before_anything_is_memorised(bamboo: Bamboo, small_set: Path) -> None:
    done = bamboo("eval", "answers", str(small_set), env={"OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""})
    assert done.returncode == 6
    assert "no model" in done.stderr
    assert "memorising" not in done.stderr
