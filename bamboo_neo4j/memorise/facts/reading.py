"""Facts from CSV, JSON lines and rows of a program: each checked by itself, a bad one named by its line."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.facts.times import Moment, is_period, read_moment
from bamboo_neo4j.memorise.preparing import digest
from bamboo_neo4j.memorise.tag_list import clean, too_long
from bamboo_neo4j.normalise import fold
from bamboo_neo4j.records import Failure
from bamboo_neo4j.strict_json import NotJson, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bamboo_neo4j.normalise import Normaliser

REQUIRED = ("subject", "predicate", "object")
FIELDS = (*REQUIRED, "confidence", "source", "validFrom", "validTo")
"""The names of the columns and keys; case, blanks, `_` and `-` do not matter."""
LONGEST_SOURCE = 2_000
"""Characters of a source."""

_NAMES = {name.lower(): name for name in FIELDS}
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as it was stated, checked: texts are clean and not too long, `confidence` is in [0, 1].

    `valid_from` and `valid_to` are days or times in UTC, None where open.
    """

    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    source: str = ""
    valid_from: Moment | None = None
    valid_to: Moment | None = None


class _Wrong(Exception):
    """What is wrong with one fact."""


def read_facts(text: str, shown: str, *, words: Normaliser) -> Iterator[StatedFact | Failure]:
    """Yield the facts of a CSV with a header or of JSON lines; a bad line becomes a Failure that names it.

    The first character tells the two apart: JSON lines begin with `{`. Raises InputError, which calls the
    file `shown`, for one that cannot be used at all.
    """
    first = text.lstrip()[:1]
    if not first:
        raise InputError(f"{shown}: there is nothing in it", hint=_header_hint())
    if first == "[":
        raise InputError(f"{shown}: is a JSON array", hint="write one object a line, without [ and ]")
    return _json_lines(text, shown, words) if first == "{" else _table(text, shown, words)


def read_rows(rows: Iterable[Mapping[str, object]], *, words: Normaliser) -> Iterator[StatedFact | Failure]:
    """Yield the facts of a program's mappings, with the keys of a file; a bad one becomes a Failure."""
    for number, row in enumerate(rows, 1):
        yield _checked(row, f"row {number}", words)


def fact_id(memory: str, fact: StatedFact, *, words: Normaliser) -> str:
    """Return the id of a fact: the memory's name, then a digest of what is stated, by whom, and from when.

    Spelling counts but for case and accents (and, in a predicate, what stands between its words). The
    confidence and the end of validity do not: a source that changes one of them speaks of the same fact.
    Nothing depends on a stemmer, so that an id outlives `bamboo reindex`.
    """
    begin = fact.valid_from.isoformat() if fact.valid_from else ""
    predicate = words.name(fact.predicate) or fold(fact.predicate)
    return f"{memory}:{digest(fold(fact.subject), predicate, fold(fact.object), begin, fact.source)}"


def _table(text: str, shown: str, words: Normaliser) -> Iterator[StatedFact | Failure]:
    """Read a CSV; a fact stands on one line, so a quote that is never closed spoils that line alone."""
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    _, header = next(lines)
    delimiter, columns = _columns(header, shown)
    yield from _unknown((cell for cell in _cells(header, delimiter) if _name(cell) is None), shown)
    for number, line in lines:
        where = f"{shown}, line {number}"
        try:
            cells = _cells(line, delimiter)
            if len(cells) > len(columns):
                _wrong(f"{len(cells)} cells, the header names {len(columns)}")
            row = {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell.strip()}
        except (csv.Error, _Wrong) as error:
            yield Failure(where, str(error))
            continue
        yield _checked(row, where, words)


def _columns(header: str, shown: str) -> tuple[str, list[str | None]]:
    """Return the delimiter and the names of the columns, None for one that is not known."""
    missing: list[str] = list(REQUIRED)
    for delimiter in _DELIMITERS:
        try:
            names = [_name(cell) for cell in _cells(header, delimiter)]
        except csv.Error:
            continue
        known = [name for name in names if name]
        lacks = [name for name in REQUIRED if name not in known]
        if not lacks and len(set(known)) == len(known):
            return delimiter, names
        if not lacks:
            twice = next(name for name in known if known.count(name) > 1)
            raise InputError(f"{shown}: the header names {twice!r} twice", hint=_header_hint())
        missing = min(missing, lacks, key=len)
    raise InputError(f"{shown}: the header has no column {', '.join(missing)}", hint=_header_hint())


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise csv.Error("a quotation mark is not closed on this line") from None
        raise


def _json_lines(text: str, shown: str, words: Normaliser) -> Iterator[StatedFact | Failure]:
    told: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{shown}, line {number}"
        try:
            row = parse(line)
        except NotJson as error:
            yield Failure(where, str(error))
            continue
        if not isinstance(row, dict):
            yield Failure(where, "is no JSON object")
            continue
        unknown = [name for name in row if _name(name) is None and name not in told]
        told.update(unknown)
        yield from _unknown(unknown, where)
        yield _checked(row, where, words)


def _unknown(names: Iterable[str], where: str) -> Iterator[Failure]:
    """Say once which columns are not read: a wrong name must not lose its values in silence."""
    if listed := ", ".join(repr(name[:_SHOWN]) for name in names):
        yield UnknownFields(where, f"not read: {listed}")


class UnknownFields(Failure):
    """Columns or keys that no fact has: they are left out, and everything else of the line is used."""


def _checked(row: Mapping[str, object], where: str, words: Normaliser) -> StatedFact | Failure:
    try:
        return _stated(_named(row), words)
    except _Wrong as error:
        return Failure(where, str(error))


def _named(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row by the names of fields, of which each may be given once, however it is spelled."""
    named: dict[str, object] = {}
    for key, value in row.items():
        name = _name(key)
        if name in named:
            _wrong(f"gives {name!r} twice")
        if name:
            named[name] = value
    return named


def _stated(row: Mapping[str, object], words: Normaliser) -> StatedFact:
    subject, predicate, object_ = (_text(row, name) for name in REQUIRED)
    for name, text in (("subject", subject), ("object", object_)):
        if not words.key(text):
            _wrong(f"the {name} {text!r} holds no word and no number")
    valid_from, valid_to = _moment(row, "validFrom"), _moment(row, "validTo", last=True)
    if valid_from and valid_to and not is_period(valid_from, valid_to):
        _wrong("validTo comes before validFrom")
    return StatedFact(
        subject, predicate, object_, _confidence(row), _source(row), valid_from=valid_from, valid_to=valid_to
    )


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        _wrong(f"no {name}" if value is None else f"the {name} is no text and no number")
    if isinstance(value, float) and not math.isfinite(value):
        _wrong(f"the {name} is no finite number")
    text = clean(str(value))
    if not text:
        _wrong(f"no {name}")
    if reason := too_long(text):
        _wrong(f"the {name} has {reason}")
    return text


def _confidence(row: Mapping[str, object]) -> float:
    """Return the confidence, 1 where none is given; anything but a finite number in [0, 1] is refused."""
    given = value = row.get("confidence", 1.0)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        _wrong(f"the confidence {_short(given)} is no number from 0 to 1")
    return float(value) + 0.0  # no -0.0


def _source(row: Mapping[str, object]) -> str:
    value = row.get("source")
    if value is None:
        return ""
    if not isinstance(value, str):
        _wrong("the source is no text")
    text = clean(value)
    if len(text) > LONGEST_SOURCE:
        _wrong(f"the source has {len(text)} characters, {LONGEST_SOURCE} are allowed")
    return text


def _moment(row: Mapping[str, object], name: str, *, last: bool = False) -> Moment | None:
    value = row.get(name)
    if value is None or value == "":
        return None
    try:
        return read_moment(value, last=last)
    except ValueError:
        _wrong(f"{name} is {_short(value)}, no day or time such as 2026-03-31 or 2026-03-31T14:30:00Z")


def _name(given: str) -> str | None:
    """Return the field that a column or a key names, None where no fact has it."""
    return _NAMES.get(re.sub(r"[\s_-]", "", str(given)).lower())


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _header_hint() -> str:
    return f"a CSV begins with a line that names the columns: {','.join(FIELDS)}"


def _wrong(reason: str) -> NoReturn:
    raise _Wrong(reason)
