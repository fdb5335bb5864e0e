"""The four validators on cases scored by hand, and the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import DatabaseError, InputError, UsageError
from bamboo_neo4j.learn.claims import Checked, GraphChecker
from bamboo_neo4j.learn.gate import THRESHOLDS, judge
from bamboo_neo4j.learn.goals import Goals, read_goals
from bamboo_neo4j.learn.validators import (
    Case,
    Tools,
    alignment,
    deterministic,
    grounding,
    logical,
    novelty,
    validate,
)
from bamboo_neo4j.reason.similarity import lexical
from bamboo_neo4j.records import GateName, ReasoningOutput, Score, ScoreName, UsedPair
from tests.told import WORDS, fact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SIMILARITY = lexical(WORDS)
HAS = fact("Apollo | has function | withdraw")
CALLS = fact("withdraw | makes | external call")
RATE = fact("fed funds rate | weighs on | bond prices")
PAIR = UsedPair("withdraw", "vault", "c1")


def output(*facts: str, **fields: object) -> ReasoningOutput:
    given = {"conclusion": "Apollo can be re-entered", "confidence": 0.9, "path": ("a step",)}
    return ReasoningOutput("rules", facts=facts, **{**given, **fields})  # type: ignore[arg-type]


def all_but(*missing: object) -> object:
    def check(facts: Sequence[str], pairs: Sequence[UsedPair]) -> Checked:
        return Checked(
            {each: "is not in the memory" for each in facts if each in missing},
            {each: "there is no chunk" for each in pairs if each in missing},
        )

    return check


def scored(case: Case) -> Score:
    return logical(case, words=WORDS)


# Logical.


def test_claims_that_share_an_end_and_steps_are_logical() -> None:
    case = Case("Is it safe?", output(HAS.id, CALLS.id), facts=(HAS, CALLS))
    assert scored(case).value == 1


def test_a_conclusion_without_a_step_is_not_logical() -> None:
    score = scored(Case("Is it safe?", output(HAS.id, path=()), facts=(HAS,)))
    assert score.value == 0
    assert "no step" in score.reason


def test_a_claim_that_hangs_together_with_no_other_lowers_it_by_its_share() -> None:
    case = Case("Is it safe?", output(HAS.id, CALLS.id, RATE.id), facts=(HAS, CALLS, RATE))
    assert scored(case) == Score("logical", pytest.approx(2 / 3), "2 of 3 claims hang together")  # type: ignore[arg-type]


def test_claims_hang_together_by_a_predicate_a_pair_or_what_the_question_names() -> None:
    zeus = fact("Zeus | has function | deposit")
    assert scored(Case("?", output(HAS.id, zeus.id), facts=(HAS, zeus))).value == 1
    assert scored(Case("?", output(HAS.id, pairs=(PAIR,)), facts=(HAS,))).value == 1
    asked = "Does the fed funds rate bear on Apollo?"
    assert scored(Case(asked, output(HAS.id, RATE.id), facts=(HAS, RATE))).value == 1


def test_of_several_modules_each_hangs_together_by_itself() -> None:
    parts = (output(HAS.id, CALLS.id), output(RATE.id))
    case = Case("?", output(HAS.id, CALLS.id, RATE.id), parts=parts, facts=(HAS, CALLS, RATE))
    assert scored(case).value == 1


def test_facts_that_exclude_each_other_are_not_logical() -> None:
    yes, no = fact("Apollo | audited | yes"), fact("Apollo | audited | no")
    case = Case("?", output(yes.id, no.id, HAS.id), facts=(yes, no, HAS))
    score = scored(case)
    assert score.value == pytest.approx(1 / 3)
    assert score.reason == "'Apollo audited yes' and 'Apollo audited no' cannot both hold"


def test_modules_that_disagree_are_not_logical() -> None:
    parts = (output(HAS.id), output(HAS.id))
    score = scored(Case("?", output(HAS.id), parts=parts, facts=(HAS,), opposed=("whether it is safe",)))
    assert score == Score("logical", 0.5, "modules disagree: whether it is safe")


# Grounding.


def test_grounding_is_the_share_of_claims_that_the_graph_holds() -> None:
    case = Case("?", output("f1", "f2", "f3", pairs=(PAIR,)))
    score = grounding(case, check=all_but("f2"))  # type: ignore[arg-type]
    assert score.value == 0.75
    assert score.reason == "3 of 4 claims are in the graph; not: fact 'f2' is not in the memory"
    assert grounding(case, check=all_but()).value == 1  # type: ignore[arg-type]
    assert grounding(case, check=all_but("f1", PAIR)).value == 0.5  # type: ignore[arg-type]


def test_no_claim_is_not_grounded() -> None:
    score = grounding(Case("?", output()), check=all_but())  # type: ignore[arg-type]
    assert score == Score("grounding", 0.0, "it claims nothing that the graph could hold")


def test_a_claim_made_twice_counts_once() -> None:
    case = Case("?", output("f1", "f1", "f1", "f2"))
    assert grounding(case, check=all_but("f2")).value == 0.5  # type: ignore[arg-type]


def test_claims_are_looked_up_by_key_and_each_fault_is_said() -> None:
    asked: list[object] = []

    def read(name: str, parameters: object) -> list[dict[str, object]]:
        asked.append((name, parameters))
        return [{"facts": [["f1", True], ["f2", False]], "pairs": [[0, True, True], [1, False, True]]}]

    pairs = [PAIR, UsedPair("Vaults", "Apollo", "c1"), UsedPair("a1", "b1", "c9"), UsedPair("a1", "A1", "c1")]
    found = GraphChecker(read, "m", WORDS, as_of="then")(["f1", "f2", "f3"], pairs)
    assert found.unverified_facts == {"f2": "was not valid at the time asked", "f3": "is not in the memory"}
    assert list(found.unverified_pairs.values()) == [
        "the chunk does not hold 'Vaults'",
        "there is no chunk 'c9'",
        "both are one tag",
    ]
    assert asked[0][1]["pairs"][1] == ["c1", "vault", "vaults", "apollo", "apollo"]  # type: ignore[index]


# Novelty.


def test_novelty_is_what_the_nearest_known_text_does_not_say() -> None:
    # stems: apollo, enter; of "Apollo has function withdraw" one of the two is known
    case = Case("?", output(conclusion="Apollo is entered"), facts=(HAS, CALLS))
    score = novelty(case, words=WORDS)
    assert score.value == 0.5
    assert score.reason == "50% of its words are in 'Apollo has function withdraw'"


def test_an_answer_that_was_given_before_is_not_new_and_one_like_nothing_known_is() -> None:
    said = output(conclusion="Apollo can be entered")
    assert novelty(Case("?", said, known=("Apollo can be entered.",)), words=WORDS).value == 0
    assert novelty(Case("?", said, known=("Zeus is safe",)), words=WORDS).value == 1
    assert novelty(Case("?", said), words=WORDS).value == 1


# Alignment.


def align(case: Case) -> Score:
    return alignment(case, words=WORDS, similarity=SIMILARITY)


def test_without_goals_an_answer_is_aligned_with_what_was_asked() -> None:
    on, off = output(conclusion="Apollo is safe", path=()), output(conclusion="It rains", path=())
    assert align(Case("Is Apollo safe?", on)).value == 1
    assert (align(Case("Is Apollo safe?", off)).value or 0) < THRESHOLDS["alignment"]


def test_with_goals_it_is_aligned_with_the_nearest_one() -> None:
    goals = read_goals({"goals": ["cut energy costs", "find security risks"]})
    case = Case("Is there a risk for security in Apollo?", output(conclusion="We find one"), goals=goals)
    score = align(case)
    assert score.value == 1
    assert score.reason == "it serves 'find security risks' to 100%"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"limit": "no advice", "never": ["sell", "buy now"]}, "Buy NOW, it rises"),
        ({"limit": "no advice", "never": ["guaranteed"]}, "a guarantee of profits"),
        ({"limit": "be sure", "least_confidence": 0.95}, "Apollo is safe"),
    ],
)
def test_a_broken_limit_is_zero_and_is_named(limit: dict[str, object], said: str) -> None:
    goals = read_goals({"goals": ["Apollo"], "limits": [limit]})
    score = align(Case("Apollo?", output(conclusion=said), goals=goals))
    assert score.value == 0
    assert f"it breaks the limit {limit['limit']!r}" in score.reason


def test_a_limit_is_kept_where_its_words_stand_in_other_words() -> None:
    goals = read_goals({"goals": ["Apollo"], "limits": [{"limit": "no advice", "never": ["buy now"]}]})
    assert align(Case("Apollo?", output(conclusion="Apollo buys, and now it rests"), goals=goals)).value


def test_a_limit_without_words_is_said_to_be_for_a_model() -> None:
    goals = read_goals({"goals": ["Apollo"], "limits": [{"limit": "be kind"}]})
    assert "1 limits without words" in align(Case("Apollo?", output(), goals=goals)).reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "goals"),
        ('{"goals": []}', "goals"),
        ('{"goals": ["x"], "limits": [{"never": ["y"]}]}', "limit"),
        ('{"goals": ["x"], "limits": [{"limit": "y", "least_confidence": NaN}]}', "NaN"),
        ("[", r"is not JSON: Expecting value at character 2"),
        ('{"goals": ["x"], "goals": ["y"]}', "gives the key 'goals' twice"),
    ],
)
def test_an_unfit_goals_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "goals.json"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_goals(path)


def test_goals_are_read_from_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    path.write_text('\ufeff{"goals": ["größer"]}', encoding="utf-8")
    assert read_goals(path) == Goals(goals=("größer",))
    with pytest.raises(InputError, match="cannot be read"):
        read_goals(tmp_path / "none.json")


# The gate.


def scores(**values: float | None) -> list[Score]:
    return [Score(name, values[name], "because") for name in get_args(ScoreName) if name in values]


def test_quality_asks_for_three_and_reports_novelty_beside_them() -> None:
    verdict = judge(scores(logical=0.7, grounding=0.8, novelty=0.0, alignment=0.6))
    assert verdict.passed
    assert verdict.trust == pytest.approx(0.7)  # (0.7 + 0.8 + 0.6) / 3
    assert [score.name for score in verdict.scores] == ["logical", "grounding", "novelty", "alignment"]


def test_paper_asks_for_all_four() -> None:
    four = scores(logical=0.9, grounding=1.0, novelty=0.4, alignment=0.9)
    verdict = judge(four, gate="paper")
    assert not verdict.passed
    assert verdict.trust == pytest.approx(0.8)  # (0.9 + 1.0 + 0.4 + 0.9) / 4
    assert verdict.reasons == ("novelty 0.40 is below 0.5: because",)


@pytest.mark.parametrize("gate", get_args(GateName))
@pytest.mark.parametrize("name", ["logical", "grounding", "alignment"])
@pytest.mark.parametrize("value", ["below", None, float("nan"), float("inf"), 1.5, "missing"])
def test_one_score_below_its_threshold_failed_or_missing_closes_the_gate(
    gate: GateName, name: ScoreName, value: float | str | None
) -> None:
    given: dict[str, float | None] = dict.fromkeys(get_args(ScoreName), 1.0)
    if value == "missing":
        del given[name]
    else:
        given[name] = THRESHOLDS[name] - 0.01 if isinstance(value, str) else value
    verdict = judge(scores(**given), gate=gate)
    assert not verdict.passed
    assert verdict.reasons[0].startswith(name)
    assert 0 <= verdict.trust < 1


@pytest.mark.parametrize("gate", get_args(GateName))
def test_each_threshold_is_enough(gate: GateName) -> None:
    assert judge(scores(**THRESHOLDS), gate=gate).passed


@given(
    st.lists(st.one_of(st.none(), st.floats()), min_size=4, max_size=4), st.sampled_from(get_args(GateName))
)
def test_trust_is_always_between_nothing_and_one(values: list[float | None], gate: GateName) -> None:
    verdict = judge(scores(**dict(zip(get_args(ScoreName), values, strict=True))), gate=gate)
    assert 0 <= verdict.trust <= 1


def test_an_unknown_gate_is_refused() -> None:
    with pytest.raises(UsageError, match="'wide'"):
        judge((), gate="wide")  # type: ignore[arg-type]


def test_a_validator_that_fails_closes_the_gate_and_says_why() -> None:
    def broken(facts: Sequence[str], pairs: Sequence[UsedPair]) -> Checked:  # noqa: ARG001
        raise DatabaseError("the server is gone")

    tools = Tools(WORDS, SIMILARITY, broken)
    found = validate(Case("Is Apollo safe?", output("f1")), deterministic(tools))
    assert [score.name for score in found] == list(get_args(ScoreName))
    assert found[1] == Score("grounding", None, "the validator failed: the server is gone")
    verdict = judge(found)
    assert not verdict.passed
    assert "grounding: the validator failed: the server is gone" in verdict.reasons
