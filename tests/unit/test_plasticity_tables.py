"""What the experiments on a case are made of, before any server is asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.evaluate.plasticity import FILES, FORBIDDEN, WAYS, read_case, spoil
from bamboo_neo4j.records import ReasoningOutput, UsedPair

APOLLO = Path(__file__).parents[2] / "examples" / "apollo"
SOUND = ReasoningOutput("rules", "It is safe", 0.9, path=("a rule",), facts=("m:1",))
OTHER = ReasoningOutput("table", "It rises", 0.8, facts=("m:2",), pairs=(UsedPair("a", "b", "c"),))


def test_the_example_has_questions_enough_and_none_that_needs_a_model() -> None:
    case = read_case(APOLLO)
    assert len(case.questions) >= 50
    assert not [question for question in case.questions if "llm" in question["modules"]]
    assert all(Path(case.asking(case.questions[0])[name]).is_file() for name in ("rules", "table", "goals"))


@pytest.mark.parametrize("name", FILES.values())
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    shutil.copytree(APOLLO, tmp_path / "case")
    (tmp_path / "case" / name).unlink()
    with pytest.raises(InputError, match=name):
        read_case(tmp_path / "case")


@pytest.mark.parametrize("text", ["no JSON", "[1]", '{"question": "Why?"}', ""])
def test_questions_that_cannot_be_used_are_refused(tmp_path: Path, text: str) -> None:
    shutil.copytree(APOLLO, tmp_path / "case")
    (tmp_path / "case" / FILES["questions"]).write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_case(tmp_path / "case")


def test_each_way_spoils_one_thing() -> None:
    spoiled = {name: spoil(SOUND, OTHER, way=way) for way, name in enumerate(WAYS)}
    assert spoiled["invented"].facts == ("m:1-invented",)
    assert (spoiled["unrelated"].facts, spoiled["unrelated"].pairs) == (("m:1", "m:2"), OTHER.pairs)
    assert FORBIDDEN in spoiled["forbidden"].conclusion
    assert (spoiled["empty"].facts, spoiled["empty"].path) == ((), ())
