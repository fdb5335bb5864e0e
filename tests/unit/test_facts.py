"""Facts from files and rows: what is read, what is refused and how it is named; no server."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.facts.inputs import read_all
from bamboo_neo4j.memorise.facts.reading import StatedFact, UnknownFields, fact_id, read_facts, read_rows
from bamboo_neo4j.memorise.facts.times import as_of, is_period, read_moment
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Failure

if TYPE_CHECKING:
    from pathlib import Path

WORDS = normaliser("en")
HEADER = "subject,predicate,object,confidence,source,validFrom,validTo\n"


def read(text: str) -> list[StatedFact | Failure]:
    return list(read_facts(text, "f", words=WORDS))


def one(**fields: object) -> StatedFact | Failure:
    row = {"subject": "Ada Kern", "predicate": "knows", "object": "Leo Brandt", **fields}
    (fact,) = read_rows([row], words=WORDS)
    return fact


def reason(fact: StatedFact | Failure) -> str:
    assert isinstance(fact, Failure)
    return fact.reason


def test_a_table_with_a_header_gives_its_facts() -> None:
    text = HEADER + "Ada Kern,knows,Leo Brandt,0.9,a letter,2026-01-31,\nQuay 9,is_in,Port Linnet\n"
    assert read(text) == [
        StatedFact("Ada Kern", "knows", "Leo Brandt", 0.9, "a letter", date(2026, 1, 31)),
        StatedFact("Quay 9", "is_in", "Port Linnet"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_the_header_is_written_with(delimiter: str) -> None:
    lines = [["Object", "valid_from", "Subject", "PREDICATE"], ["b, c", "2026", "a", "is"]]
    text = "\n".join(delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    assert read(text) == [StatedFact("a", "is", "b, c", valid_from=date(2026, 1, 1))]


def test_json_lines_give_the_same_facts_as_a_table() -> None:
    row = {"subject": "a", "predicate": "is", "object": "b", "confidence": 0.25, "validTo": "2026-02"}
    assert read(json.dumps(row)) == [StatedFact("a", "is", "b", 0.25, valid_to=date(2026, 2, 28))]
    assert read("subject,predicate,object,confidence,validTo\na,is,b,0.25,2026-02") == read(json.dumps(row))


def test_each_bad_line_is_named_with_its_number_and_stops_no_other() -> None:
    text = HEADER + '\na,is,b\n,is,b\n"a,is,b\na,is,b,1,s,2026,2027,more\na,is,%\nlast,is,b\n'
    found = read(text)
    assert [one.subject for one in found if isinstance(one, StatedFact)] == ["a", "last"]
    assert [(one.source, one.reason) for one in found if isinstance(one, Failure)] == [
        ("f, line 4", "no subject"),
        ("f, line 5", "a quotation mark is not closed on this line"),
        ("f, line 6", "8 cells, the header names 7"),
        ("f, line 7", "the object '%' holds no word and no number"),
    ]


def test_each_bad_json_line_is_named_with_its_number_and_stops_no_other() -> None:
    good = '{"subject": "a", "predicate": "is", "object": "b"}'
    bad = ["{", "[1]", '{"subject": "a"}', '{"subject": true, "predicate": "p", "object": "b"}', "{" * 99_999]
    found = read("\n".join([good, *bad, "", good]))
    assert len([one for one in found if isinstance(one, StatedFact)]) == 2
    assert [one.source for one in found if isinstance(one, Failure)] == [f"f, line {n}" for n in range(2, 7)]


@pytest.mark.parametrize("text", ["", " \n\n", "[]", "a,b,c\n1,2,3", "subject,predicate\na,is"])
def test_a_file_without_a_usable_header_is_refused_with_the_form_of_one(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert "f: " in caught.value.message
    assert caught.value.hint


def test_a_column_named_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'subject' twice"):
        read("subject,predicate,object,Subject\na,is,b,c")


@pytest.mark.parametrize(
    ("key", "says"),
    [("object", "gives the key 'object' twice in one object"), ("Valid_To", "gives 'validTo' twice")],
)
def test_a_key_given_twice_is_named_and_neither_value_is_taken(key: str, says: str) -> None:
    first = '{"subject": "a", "predicate": "is", "object": "b", "validTo": "2026"'
    (failed,) = read(f'{first}, "{key}": "2027"}}')
    assert isinstance(failed, Failure)
    assert (failed.source, failed.reason) == ("f, line 1", says)


def test_columns_that_are_not_read_are_named_once() -> None:
    assert read("subject,predicate,object,colour\na,is,b,red\nc,is,d,red")[0] == UnknownFields(
        "f", "not read: 'colour'"
    )
    lines = '{"subject": "a", "predicate": "is", "object": "b", "colour": 1}\n' * 2
    assert [one for one in read(lines) if isinstance(one, Failure)] == [
        UnknownFields("f, line 1", "not read: 'colour'")
    ]


@pytest.mark.parametrize(
    "number",
    ["NaN", "nan", "Infinity", "inf", "1e999", "-1", "-0.1", "1.01", "high", "0,9", "90%", "1_0", "١"],
)
def test_p27_a_confidence_that_is_no_number_from_0_to_1_is_refused_in_a_table(number: str) -> None:
    (fact,) = read(HEADER + f'a,is,b,"{number}"')
    assert reason(fact) == f"the confidence {number!r} is no number from 0 to 1"


@pytest.mark.parametrize(
    "number", ["NaN", "-NaN", "Infinity", "-Infinity", "1e999", "-1", "1.5", '"high"', "null", "true", "[1]"]
)
def test_p27_a_confidence_that_is_no_number_from_0_to_1_is_refused_in_json(number: str) -> None:
    line = f'{{"subject": "a", "predicate": "is", "object": "b", "confidence": {number}}}'
    (fact,) = read(line)
    assert isinstance(fact, Failure)
    assert fact.source == "f, line 1"


@pytest.mark.parametrize(
    ("given_", "read_"),
    [("0", 0.0), ("1", 1.0), (" 0.5 ", 0.5), (".5", 0.5), ("5e-1", 0.5), ("-0", 0.0), ("", 1.0)],
)
def test_p27_the_border_values_themselves_are_confidences(given_: str, read_: float) -> None:
    (fact,) = read(HEADER + f"a,is,b,{given_},s")
    assert isinstance(fact, StatedFact)
    assert str(fact.confidence) == str(read_)


@given(st.floats())
def test_p27_a_confidence_is_in_range_or_refused(number: float) -> None:
    fact = one(confidence=number)
    assert isinstance(fact, StatedFact) == (0 <= number <= 1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-02-03", date(2024, 2, 3), date(2024, 2, 3)),
        ("2024-02-03T04:05:06Z", datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC), None),
        ("2024-02-03 04:05+02:00", datetime(2024, 2, 3, 2, 5, tzinfo=UTC), None),
        ("2024-02-03T04:05", datetime(2024, 2, 3, 4, 5, tzinfo=UTC), None),
    ],
)
def test_a_year_and_a_month_begin_with_their_first_and_end_with_their_last_day(
    text: str, first: date, last: date | None
) -> None:
    assert read_moment(text) == first
    assert read_moment(text, last=True) == (last or first)


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30",
        "2023-02-29",
        "24-01-01",
        "yesterday",
        "2024-13",
        "0000",
        "2024-W05",
        "20240101",
        "2024-01-01T25:00",
        "0001-01-01T00:00+14:00",
    ],
)
def test_what_is_no_day_is_refused(text: str) -> None:
    assert reason(one(validFrom=text)).startswith(f"validFrom is {text!r}, no day or time")


@pytest.mark.parametrize(
    ("first", "last", "fine"),
    [
        ("2024-05-01", "2024-05-01", True),
        ("2024-05-02", "2024-05-01", False),
        ("2024-05-01T00:00Z", "2024-05-01T00:00Z", False),
        ("2024-05-01T12:00Z", "2024-05-01", True),
        ("2024-05-01", "2024-05-01T00:00Z", False),
        ("2024-05-01", "2024-05-01T00:01Z", True),
    ],
)
def test_a_day_as_an_end_is_included_and_a_time_is_where_validity_stops(
    first: str, last: str, *, fine: bool
) -> None:
    assert is_period(read_moment(first), read_moment(last, last=True)) is fine
    assert isinstance(one(validFrom=first, validTo=last), StatedFact) is fine


def test_a_day_that_is_asked_about_is_its_beginning_in_utc() -> None:
    assert as_of("2024-05-01") == as_of(date(2024, 5, 1)) == datetime(2024, 5, 1, tzinfo=UTC)
    assert as_of("2024-05-01T02:00+02:00") == datetime(2024, 5, 1, tzinfo=UTC)


def test_texts_are_cleaned_and_too_long_ones_refused() -> None:
    fact = one(subject=" Ada\tKern\ufeff ", source="a\nletter", object=12.5)
    assert isinstance(fact, StatedFact)
    assert (fact.subject, fact.source, fact.object) == ("Ada Kern", "a letter", "12.5")
    assert reason(one(object="x" * 121)) == "the object has 121 characters, 120 are allowed"
    assert "2001 characters" in reason(one(source="x" * 2001))
    assert reason(one(object=float("inf"))) == "the object is no finite number"


def number(**fields: object) -> str:
    fact = one(**fields)
    assert isinstance(fact, StatedFact)
    return fact_id("m", fact, words=WORDS)


def test_a_fact_is_the_same_whatever_its_case_confidence_and_end() -> None:
    same = number()
    assert same.startswith("m:")
    assert number(subject="ADA  KERN", predicate="Knows", confidence=0.1, validTo="2026") == same


@pytest.mark.parametrize("field", ["subject", "predicate", "object", "source", "validFrom"])
def test_a_fact_is_another_when_something_else_is_stated_by_somebody_else_or_from_another_day(
    field: str,
) -> None:
    assert number(**{field: "2025"}) != number()


def test_signs_and_points_make_other_facts_though_tags_have_none() -> None:
    assert len({number(object=text) for text in ("5%", "-5%", "0.5", "05")}) == 4


def test_predicates_are_the_same_with_blanks_underscores_and_capitals() -> None:
    assert len({number(predicate=text) for text in ("audited_by", "audited by", "auditedBy")}) == 1


def test_files_and_rows_come_in_order_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("subject,predicate,object\r\nGröße,is,b\r\n".encode("utf-16"))
    (tmp_path / "b.csv").write_bytes(b"\x89PNG\r\n")
    row: dict[str, object] = {"subject": "r", "predicate": "is", "object": "b"}
    given_: list[Path | dict[str, object]] = [
        tmp_path / "a.csv",
        row,
        tmp_path / "b.csv",
        tmp_path / "nothing.csv",
        row,
    ]
    first, second, third, fourth, last = read_all(given_, words=WORDS)
    assert (first, second) == (StatedFact("Größe", "is", "b"), last)
    assert isinstance(third, Failure)
    assert "b.csv" in third.source
    assert third.reason == "is not text: it is a PNG image (save it as CSV or JSON lines, in UTF-8)"
    assert "nothing.csv" in getattr(fourth, "source", "")
    assert isinstance(fourth, Failure)
