"""JSON that people give: what is taken, and what is said where it is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.forms import Strict, read_form
from bamboo_neo4j.strict_json import NotJson, parse

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=9)


@given(VALUES)
def test_what_is_written_as_json_is_read_equal(value: Any) -> None:  # noqa: ANN401
    assert parse(json.dumps(value)) == value


WRONG = {
    "": "is not JSON: Expecting value at character 1",
    '{"a" 1}': "is not JSON: Expecting ':' delimiter at character 6",
    '{\n  "a": "x\n}': "is not JSON: Invalid control character at line 2, character 10",
    '["x': "is not JSON: Unterminated string starting at character 2",
    "[NaN]": "holds NaN, which is no number of JSON",
    "[-Infinity]": "holds -Infinity, which is no number of JSON",
    "[1e999]": "holds a number out of range: 1e999",
    "9" * 5000: "holds an integer of more than 4,300 digits",
    "[" * 100_000: "is nested too deeply",
    '{"a": 1, "b": {"c": 1, "d": 2, "c": 3}}': "gives the key 'c' twice in one object",
    '{"a": 1, "\\u0061": 1}': "gives the key 'a' twice in one object",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:20])
def test_a_fault_is_named_with_its_place(text: str) -> None:
    with pytest.raises(NotJson) as caught:
        parse(text)
    assert str(caught.value) == WRONG[text]


def test_numbers_of_other_programs_are_taken_where_asked_but_no_key_twice() -> None:
    assert parse("[Infinity, 1e999]", any_number=True) == [float("inf")] * 2
    with pytest.raises(NotJson, match="twice"):
        parse('{"a": NaN, "a": 1}', any_number=True)


class Form(Strict):
    """A form with one key."""

    size: int = Field(ge=1)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"size": 0}', "FILE cannot be used: size: Input should be greater than or equal to 1"),
        (b'{"size": 1, "sise": 2}', "FILE cannot be used: sise: Extra inputs are not permitted"),
        (b'{"size": 1,\n"size": 2}', "FILE gives the key 'size' twice in one object"),
        (b'{"size":\n1', "FILE is not JSON: Expecting ',' delimiter at line 2, character 2"),
        (b'{"size":\n"\xff"}', "FILE, line 2 is not UTF-8"),
        (b'{"size": 1}' + b" " * 90, "FILE is larger than 99 bytes"),
    ],
)
def test_an_unfit_form_is_refused_with_what_it_is_and_what_is_wrong(
    tmp_path: Path, data: bytes, says: str
) -> None:
    path = tmp_path / "f.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_form(path, Form, what="the sizes", most=99)
    assert caught.value.message == says.replace("FILE", f"the sizes file {str(path)!r}")


def test_a_form_is_read_from_a_file_or_from_python(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('\ufeff{"size": 3}', encoding="utf-8")
    assert read_form(path, Form, what="the sizes") == read_form({"size": 3}, Form, what="the sizes")
    with pytest.raises(InputError, match="the sizes cannot be used: size"):
        read_form({"size": None}, Form, what="the sizes")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_form(tmp_path / "none.json", Form, what="the sizes")
