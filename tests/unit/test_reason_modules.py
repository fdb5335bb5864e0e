"""The built-in modules over facts and files by hand: what they conclude, and exactly what they used."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import BambooError, InputError, LimitReached, NothingRecalled
from bamboo_neo4j.reason.modules.rulebook import number
from bamboo_neo4j.reason.modules.rules import MOST_FINDINGS, Rules
from bamboo_neo4j.reason.modules.sentiment import Sentiment, lexicon, tone
from bamboo_neo4j.reason.modules.table import Series, Table, read_series, trend
from tests.told import WORDS, Told, chunk, fact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HAS = fact("Apollo | has function | withdraw", strength=0.9)
CALLS = fact("withdraw | makes | external call", strength=0.8)
ZEUS_HAS = fact("Zeus | has function | deposit")
ZEUS_CALLS = fact("deposit | makes | external call")
GUARDED = fact("deposit | guarded by | reentrancy guard")
CONTRACTS = (HAS, CALLS, ZEUS_HAS, ZEUS_CALLS, GUARDED)

REENTRY = {
    "name": "re-entrancy",
    "if": [["?contract", "has function", "?f"], ["?f", "makes", "external call"]],
    "unless": [["?f", "guarded by", "reentrancy guard"]],
    "then": "{contract} can be re-entered through {f}",
    "confidence": 0.5,
    "stance": -1,
}


def rules(*each: Mapping[str, object]) -> Rules:
    return Rules.read({"description": "audit", "rules": list(each)}, words=WORDS)


# Rules.


def test_a_rule_that_holds_concludes_with_the_names_and_uses_exactly_its_facts() -> None:
    output = rules(REENTRY).reason("Is anything unsafe?", Told(*CONTRACTS))
    assert output.conclusion == "Apollo can be re-entered through withdraw"
    assert output.facts == (HAS.id, CALLS.id)
    assert output.stance == -1
    assert output.confidence == pytest.approx(0.5 * 0.8)  # the rule's, times the weakest fact's strength


def test_an_exception_that_holds_keeps_a_rule_from_holding() -> None:
    open_rule = {**REENTRY, "unless": []}
    said = rules(open_rule).reason("Is anything unsafe?", Told(*CONTRACTS)).conclusion
    assert "Zeus" in said
    assert "Zeus" not in rules(REENTRY).reason("Is anything unsafe?", Told(*CONTRACTS)).conclusion


def test_findings_are_about_what_the_question_names() -> None:
    open_rule = {**REENTRY, "unless": []}
    output = rules(open_rule).reason("Is ZEUS safe?", Told(*CONTRACTS))
    assert output.facts == (ZEUS_HAS.id, ZEUS_CALLS.id)


def test_where_no_rule_holds_there_is_nothing_to_conclude_and_the_reason_is_said() -> None:
    with pytest.raises(NothingRecalled, match=r"none of the 1 rules holds over 5 facts about Zeus"):
        rules(REENTRY).reason("Is Zeus safe?", Told(*CONTRACTS))


def test_yes_in_a_question_names_nothing() -> None:
    audited = {"name": "audited", "if": [["?c", "audited", "yes"]], "then": "{c} is audited"}
    told = Told(fact("Apollo | audited | yes"), fact("Zeus | audited | no"))
    with pytest.raises(NothingRecalled):
        rules(audited).reason("Answer yes or no: is Zeus audited?", told)


@pytest.mark.parametrize(
    ("comparison", "held"),
    [
        ({"below": 1000}, ["400"]),
        ({"at_most": 400, "above": 1}, ["400"]),
        ({"at_least": 1500.5}, ["1,500.5", "2000 %"]),
        ({"is_not": "400"}, ["1,500.5", "2000 %", "much"]),
        ({"one_of": ["Much", "400"]}, ["400", "much"]),
    ],
)
def test_objects_are_compared_as_numbers_and_what_is_no_number_does_not_hold(
    comparison: dict[str, object], held: list[str]
) -> None:
    values = ["400", "1,500.5", "2000 %", "much"]
    told = Told(*(fact(f"pool {i} | liquidity | {value}") for i, value in enumerate(values)))
    rule = {"name": "liquid", "if": [["?pool", "liquidity", comparison]], "then": "{pool}"}
    found = rules(rule).reason("Which?", told).conclusion.split("; ")
    assert found == [f"pool {values.index(value)}" for value in held]


def test_a_variable_stands_for_the_same_name_everywhere() -> None:
    same = {"name": "loop", "if": [["?a", "owns", "?b"], ["?b", "owns", "?a"]], "then": "{a} and {b}"}
    told = Told(
        fact("A corp | owns | B corp"), fact("B corp | owns | C corp"), fact("C corp | owns | B corp")
    )
    assert rules(same).reason("Which?", told).conclusion == "B corp and C corp; C corp and B corp"


@pytest.mark.parametrize(
    ("book", "says"),
    [
        ({"rules": []}, "rules"),
        ({"rules": [{**REENTRY, "then": "{nobody} is unsafe"}]}, "nobody"),
        ({"rules": [{**REENTRY, "if": [["?contract", "?p", "?f"]]}]}, "predicate cannot be a variable"),
        ({"rules": [{**REENTRY, "confidence": 2}]}, "confidence"),
        ({"rules": [{**REENTRY, "wenn": 1}]}, "wenn"),
        (
            {"rules": [{**REENTRY, "if": [["?contract", "has", {}], ["?f", "is", "?contract"]]}]},
            r"rules\.0\.if\.0\.2: it compares nothing",
        ),
        (
            {"rules": [{**REENTRY, "if": [["?contract", "has", {"below": "much"}]]}]},
            r"if\.0\.2\.below: .*number",
        ),
    ],
)
def test_an_unfit_rule_is_refused_with_its_place(book: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Rules.read(book, words=WORDS)


def test_a_rules_file_that_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{\n"rules": [NaN\n')
    with pytest.raises(InputError, match=r"rules\.json"):
        Rules.read(path, words=WORDS)
    path.write_text('{\n"rules": [}\n')
    with pytest.raises(InputError, match="line 2"):
        Rules.read(path, words=WORDS)
    with pytest.raises(InputError, match="cannot be read"):
        Rules.read(tmp_path / "none.json", words=WORDS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("−3.5 %", -3.5),
        ("$1,000", 1000),
        ("1e3", 1000),
        ("1e999", None),
        ("nan", None),
        ("five", None),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: float | None) -> None:
    assert number(text) == value


# Tables.

RATES = "date,fed_funds_rate,cpi,note\n2024-03,4.5,3.0,c\n2024-01,5.5,3.0,a\n2024-02,5.0,3.0,b\n"
WEIGHS = fact("fed funds rate | weighs on | Apollo", strength=0.7)
MOVES = fact("fed funds rate | moves | Zeus", strength=0.9)


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    path = tmp_path / "rates.csv"
    path.write_text(RATES)
    return path


def test_the_trend_of_a_line_is_its_slope_and_explains_everything() -> None:
    found = trend(Series("x", ("2024", "2025", "2026"), (1.0, 3.0, 5.0)))
    assert (found.slope, found.explained, found.direction, found.confidence) == (2, 1, "rising", 1)


def test_a_trend_by_hand() -> None:
    # steps 0 1 2 3, values 1 3 2 4: slope 4/5, r = 4/5
    found = trend(Series("x", ("1", "2", "3", "4"), (1.0, 3.0, 2.0, 4.0)))
    assert found.slope == pytest.approx(0.8)
    assert found.explained == pytest.approx(0.64)
    assert found.direction == "rising"


@pytest.mark.parametrize("values", [(3.0, 3.0, 3.0), (1.0, 9.0, 1.0), (100.0, 100.1, 100.2)])
def test_what_stays_or_swings_is_flat(values: tuple[float, ...]) -> None:
    assert trend(Series("x", ("1", "2", "3"), values)).direction == "flat"


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30))
def test_a_confidence_is_a_share_whatever_the_numbers(values: list[float]) -> None:
    found = trend(Series("x", tuple(map(str, range(len(values)))), tuple(values)))
    assert 0 <= found.confidence <= 1


def test_rows_are_put_in_time_order_and_columns_of_text_are_passed_over(rates: Path) -> None:
    series = read_series(rates)
    assert [one.name for one in series] == ["fed funds rate", "cpi"]
    assert series[0].values == (5.5, 5.0, 4.5)


def test_cells_may_be_empty_and_numbers_written_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('date;x;y\n2024;"1,000";\n2025;2.5 %;3\n')
    assert [series.values for series in read_series(path)] == [(1000.0, 2.5), (3.0,)]


def test_a_table_answers_with_the_series_asked_for_and_the_facts_that_tie_it_to_the_question(
    rates: Path,
) -> None:
    output = Table.read(rates, words=WORDS).reason("Does the funds rate hurt Apollo?", Told(WEIGHS, MOVES))
    assert output.conclusion == "fed funds rate is falling, from 5.5 (2024-01) to 4.5 (2024-03)"
    assert output.facts == (WEIGHS.id,)
    assert output.metrics == (("slope of fed funds rate", -0.5),)


def test_a_series_that_no_fact_names_is_tied_by_the_pairs_of_a_chunk(rates: Path) -> None:
    told = Told(chunks=[chunk("The Fed funds rate weighs on Apollo.")], cues=["apollo", "zeus"])
    output = Table.read(rates, words=WORDS).reason("Does the funds rate hurt Apollo?", told)
    assert [(pair.source, pair.target, pair.chunk) for pair in output.pairs] == [
        ("fed funds rate", "apollo", "c1")
    ]
    assert output.chunks == ("c1",)


def test_rows_after_the_time_asked_are_not_seen(rates: Path) -> None:
    with pytest.raises(NothingRecalled, match="3 rows"):
        Table.read(rates, words=WORDS, as_of="2024-02-10").reason("the funds rate?", Told())


def test_a_quarter_is_over_with_its_last_month() -> None:
    series = Series("x", ("2024-Q1", "2024-Q2", "2024-Q3"), (1.0, 2.0, 3.0))
    assert series.until("2024-06-30").times == ("2024-Q1", "2024-Q2")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no table"),
        ("date,x\n", "no table"),
        ("date,x\nyesterday,1\n", "line 2.*'yesterday'"),
        ("date,x\n2024,a\n2025,b\n", "no column of numbers"),
        ("date,x\n2024,1\n2025,n/a\n2026,3\n", "line 3: 'n/a' in the column 'x' is no number"),
        ("date,x\n2024,nan\n2025,1e999\n", "no column of numbers"),
        ("date,x\n2024-13,1\n", "line 2.*'2024-13'"),
        ("date,x\n2026-02-30,1\n", "line 2.*'2026-02-30'"),
        ("date,x\n2024,1e308\n2025,-1e308\n2026,1e308\n", "line 2: '1e308' in the column 'x' is too large"),
        (f"date,x\n2024,{'1' * 140_000}\n", "line 2 is no CSV"),
        ("\ndate;x\n\n \n2024;1\n;\nsoon;2\n", "line 7: 'soon'"),
        ('date,x,y\n2024,"a\nb",1\n2025,c,2\n2026,d,n/a\n', "line 5: 'n/a' in the column 'y'"),
    ],
)
def test_an_unfit_table_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_series(path)


def test_a_table_may_end_its_lines_as_old_spreadsheets_do(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"date;x\r2024;1,5\r2024-Q2;2\r2024-12-31;3\r")
    (series,) = read_series(path)
    assert series.times == ("2024", "2024-Q2", "2024-12-31")


# Announcements.


def test_a_tone_by_hand() -> None:
    # success +2, loss −1: (2 − 1) / (2 + 1)
    found = tone("A success, with a loss.", words=WORDS)
    assert found.value == pytest.approx(1 / 3)
    assert found.words == (("success", 2.0), ("loss", -1.0))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("We did not fail.", 1),
        ("Never a breach; strong growth.", 1),
        ("No growth.", -1),
        ("It opened on Monday.", 0),
        ("Growing losses", 0),
    ],
)
def test_a_negator_turns_a_word_round_and_words_are_known_in_any_inflection(text: str, value: float) -> None:
    assert tone(text, words=WORDS).value == value


def test_a_strengthened_word_counts_half_as_much_again() -> None:
    # strong 1.5, weak −1: 0.5 / 2.5
    assert tone("very strong, weak", words=WORDS).value == pytest.approx(0.2)


def test_no_word_of_the_lexicon_is_both_for_and_against() -> None:
    data = json.loads((lexicon_path()).read_text(encoding="utf-8"))
    keys = [{WORDS.key(word) for word in data[side]} for side in ("positive", "negative")]
    assert not keys[0] & keys[1]
    assert len(lexicon(WORDS).worth) == len(keys[0] | keys[1])


def lexicon_path() -> Path:
    from pathlib import Path

    from bamboo_neo4j.reason.modules import sentiment

    return Path(sentiment.__file__).with_name("tone.json")


GOOD = {"date": "2024-05-01", "subject": "Apollo", "text": "Record growth and success."}
BAD = {"date": "2024-06-01", "subject": "Apollo", "text": "A breach, and a loss."}
OTHER = {"date": "2024-06-02", "subject": "Zeus", "text": "An outage."}
PRESS = fact("Apollo | announced by | press")


def announcements(*each: dict[str, str], as_of: str | None = None) -> Sentiment:
    return Sentiment.read(list(each), words=WORDS, as_of=as_of)


def test_the_tone_of_a_subject_is_the_mean_of_its_announcements() -> None:
    output = announcements(GOOD, BAD, OTHER).reason("What is the tone about Apollo?", Told(PRESS))
    assert output.conclusion == "the tone of 2 announcements about Apollo is neutral (+0.00)"
    assert output.stance == 0
    assert output.facts == (PRESS.id,)


def test_announcements_after_the_time_asked_are_not_seen() -> None:
    output = announcements(GOOD, BAD, as_of="2024-05-31").reason("Apollo?", Told())
    assert output.stance == 1
    assert output.confidence == 1


def test_announcements_without_a_tone_conclude_nothing() -> None:
    flat = {"date": "2024-05-01", "subject": "Apollo", "text": "The office moved."}
    with pytest.raises(NothingRecalled, match="none of 1 announcements"):
        announcements(flat).reason("Apollo?", Told())


@pytest.mark.parametrize(
    "broken",
    [
        {**GOOD, "date": "2024-02-30"},
        {**GOOD, "date": "May"},
        {**GOOD, "text": " "},
        {**GOOD, "tex": "x"},
        {"date": "2024-05-01"},
    ],
)
def test_an_unfit_announcement_is_refused(broken: dict[str, str]) -> None:
    with pytest.raises(InputError, match="the announcements"):
        announcements(broken)


@given(st.text(max_size=200))
def test_a_tone_is_between_its_ends_whatever_the_text(text: str) -> None:
    assert -1 <= tone(text, words=WORDS).value <= 1


@given(st.text(min_size=1, max_size=80))
def test_no_question_makes_a_module_fail_otherwise_than_in_words(question: str) -> None:
    for module in (rules(REENTRY), announcements(GOOD)):
        with suppress(BambooError):
            assert module.reason(question, Told(*CONTRACTS)).conclusion


def test_joined_conditions_look_facts_up_and_unjoined_ones_end_at_a_limit() -> None:
    many = [fact(f"c{i} | has function | f{i}") for i in range(460)]
    told = Told(*many, *(fact(f"f{i} | makes | external call") for i in range(460)))
    rule = {**REENTRY, "if": [["?contract", "has function", "?f"], ["?f", "makes", "external call"]]}
    output = rules(rule).reason("Which?", told)
    assert len(output.facts) == 2 * MOST_FINDINGS
    assert output.path[-1].startswith(f"more than {MOST_FINDINGS} findings, the others left out: ")
    assert rules(rule).reason("Is c459 safe?", told).conclusion == "c459 can be re-entered through f459"
    apart = {
        **REENTRY,
        "if": [["?contract", "has function", "?f"], ["?a", "makes", "?b"], ["?c", "has function", "nothing"]],
    }
    with pytest.raises(LimitReached, match="'re-entrancy' compares more than 200,000"):
        rules(apart).reason("Which?", told)
