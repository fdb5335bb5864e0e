"""Trends over a CSV: the first column is the time, every column of numbers a series.

The trend of a series is the least-squares line over its rows in time order (statistics.linear_regression of
Python). It is rising or falling where the line explains at least `EXPLAINED` of the variance and changes by
at least `CHANGED` of the series' mean size from first to last row; else it is flat.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import StatisticsError, correlation, fmean, linear_regression
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, NothingRecalled
from bamboo_neo4j.files import read_text
from bamboo_neo4j.reason.evidence import pairs_with, recalled, ties
from bamboo_neo4j.reason.modules.rulebook import number
from bamboo_neo4j.records import ReasoningOutput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from bamboo_neo4j.normalise import Normaliser
    from bamboo_neo4j.reason.memory_view import Remembering
    from bamboo_neo4j.records import Fact, UsedPair

EXPLAINED = 0.25
"""Least r² of a trend: below, the rows go up and down more than along the line (Cohen's "large" is 0.26)."""
CHANGED = 0.01
"""Least change of a trend, as a share of the mean size of the values."""
LARGEST = 1e100
"""Size of a number at most: the squares of larger ones are more than a float holds."""
FEWEST = 3
"""Rows of a series that may have a trend: two points always lie on a line."""
RECALLED = 5
"""Chunks that are looked through for pairs where no fact ties a series to the memory."""

_DELIMITERS = (",", ";", "\t", "|")
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])", re.ASCII)
_DATE = re.compile(r"\d{4}(?:-?Q[1-4]|-\d\d(?:-\d\d(?:[T ].*)?)?)?", re.ASCII)
_ABOUT = "Trends over a table of numbers in time: what rises, falls or stays, and by how much."


@dataclass(frozen=True, slots=True)
class Series:
    """A column of numbers with the times of its rows, in time order; empty cells are left out."""

    name: str
    times: tuple[str, ...]
    values: tuple[float, ...]

    def until(self, as_of: str | None) -> Series:
        """Return the rows up to a date; times are compared as far as they are written."""
        if as_of is None:
            return self
        days = map(_day, self.times)
        kept = [i for i, day in enumerate(days) if day <= as_of[: len(day)]]
        return Series(self.name, tuple(self.times[i] for i in kept), tuple(self.values[i] for i in kept))


@dataclass(frozen=True, slots=True)
class Trend:
    """The least-squares line of a series: its slope a row, r², and which way it goes."""

    series: Series
    slope: float
    explained: float

    @property
    def direction(self) -> str:
        """Tell whether it is rising, falling or flat."""
        values = self.series.values
        size = fmean(map(abs, values))
        change = abs(self.slope) * (len(values) - 1)
        if self.explained < EXPLAINED or change < CHANGED * size:
            return "flat"
        return "rising" if self.slope > 0 else "falling"

    @property
    def confidence(self) -> float:
        """The share of the variance that the line explains, or of a flat series that it does not."""
        return 1 - self.explained if self.direction == "flat" else self.explained

    @property
    def says(self) -> str:
        """The trend in words."""
        first, last = self.series.values[0], self.series.values[-1]
        way = "is flat" if self.direction == "flat" else f"is {self.direction}"
        since, until = self.series.times[0], self.series.times[-1]
        return f"{self.series.name} {way}, from {first:g} ({since}) to {last:g} ({until})"


def trend(series: Series) -> Trend:
    """Return the trend of a series; a constant one is flat, and the line explains nothing of it."""
    steps = range(len(series.values))
    slope = linear_regression(steps, series.values).slope
    try:
        explained = correlation(steps, series.values) ** 2
    except StatisticsError:  # a constant
        return Trend(series, 0.0, 0.0)
    return Trend(series, slope, min(1.0, explained))


class Table:
    """The module `table`: the trends of a CSV, tied to the memory by the facts that name its columns."""

    name = "table"

    def __init__(self, series: Sequence[Series], *, words: Normaliser, as_of: str | None = None) -> None:
        self._series = tuple(one.until(as_of) for one in series)
        self._words = words
        self.description = f"{_ABOUT} {', '.join(one.name for one in series)}"

    @classmethod
    def read(cls, source: Path | str, *, words: Normaliser, as_of: str | None = None) -> Self:
        """Read a CSV with a header; raises InputError for one without times or numbers."""
        return cls(read_series(Path(source)), words=words, as_of=as_of)

    def reason(self, question: str, memory: Remembering) -> ReasoningOutput:
        """Return the trends of the series that the question speaks of, or of all if it names none.

        Raises NothingRecalled where no series has rows enough.
        """
        trends = [trend(series) for series in self._asked(question) if len(series.values) >= FEWEST]
        if not trends:
            raise NothingRecalled(f"no series of the table has {FEWEST} rows up to the time asked")
        facts: dict[str, Fact] = {}
        pairs: list[UsedPair] = []
        for each in trends:
            tied = ties(each.series.name, question, memory, words=self._words)
            facts |= {fact.id: fact for fact in tied}
            if not tied:
                pairs += self._pairs(each.series.name, question, memory)
        return ReasoningOutput(
            module=self.name,
            conclusion="; ".join(each.says for each in trends),
            confidence=fmean(each.confidence for each in trends),
            path=tuple(map(_step, trends)),
            facts=tuple(facts),
            pairs=tuple(pairs),
            chunks=tuple(dict.fromkeys(pair.chunk for pair in pairs)),
            metrics=tuple((f"slope of {each.series.name}", each.slope) for each in trends),
        )

    def _asked(self, question: str) -> list[Series]:
        """Return the series that share a word with the question, all if none does."""
        asked = set(self._words.terms(question))
        named_ones = [one for one in self._series if asked & set(self._words.terms(one.name))]
        return named_ones or list(self._series)

    def _pairs(self, name: str, question: str, memory: Remembering) -> tuple[UsedPair, ...]:
        found = recalled(f"{question} {name}", memory, limit=RECALLED, tokens=4_000)
        if found is None:
            return ()
        cues = [cue.tag for cue in found.cues if cue.tag]
        return pairs_with(name, cues, found.chunks, words=self._words)


def read_series(path: Path) -> tuple[Series, ...]:
    """Read the series of a CSV: times first, in any order of rows; a column of text is passed over.

    Times are years, months, quarters or days (2026, 2026-03, 2026-Q1, 2026-03-31). Raises InputError with the
    line for a time that is none, or a cell of a series that is no number.
    """
    rows = _rows(path)
    if len(rows) < 2 or len(rows[0][1]) < 2:  # noqa: PLR2004
        raise InputError(f"{str(path)!r} is no table: a header, rows, and at least two columns are needed")
    (_, header), *body = rows
    for line, row in body:
        if len(row) > len(header) or not _is_time(row[0].strip()):
            raise InputError(
                f"{str(path)!r}, line {line}: {row[0][:40]!r} is no year, month, quarter or day",
                hint="the first column holds the time, as in 2026-03-31",
            )
    numbered = sorted(body, key=lambda each: _day(each[1][0].strip()))
    columns = enumerate(header[1:], 1)
    where = repr(str(path))
    found = [one for i, name in columns if (one := _series(name, numbered, column=i, where=where))]
    if not found:
        raise InputError(f"{str(path)!r} holds no column of numbers")
    return tuple(found)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV that hold anything, with their lines in the file, whatever ends these."""
    text = read_text(path, "the table")
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=_delimiter(text))
    rows, line = [], 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{str(path)!r}, line {reader.line_num} is no CSV: {error}") from None
    return rows


def _series(name: str, rows: Sequence[tuple[int, list[str]]], *, column: int, where: str) -> Series | None:
    """Return a column as a series; None for one of text, where fewer than half of the cells are numbers."""
    cells = [(line, row[0].strip(), row[column].strip()) for line, row in rows if column < len(row)]
    found = [(line, time, cell, number(cell)) for line, time, cell in cells if cell]
    values = [value for *_, value in found if value is not None]
    if not values or 2 * len(values) < len(found):
        return None
    for line, _, cell, value in found:
        if value is None:
            raise InputError(
                f"{where}, line {line}: {cell[:40]!r} in the column {name!r} is no number",
                hint="leave the cell empty where nothing is known",
            )
        if abs(value) > LARGEST:
            raise InputError(f"{where}, line {line}: {cell[:40]!r} in the column {name!r} is too large")
    return Series(
        " ".join(name.replace("_", " ").split()), tuple(time for _, time, *_ in found), tuple(values)
    )


def _delimiter(text: str) -> str:
    head = text.lstrip().split("\n", 1)[0]
    return max(_DELIMITERS, key=head.count)


def _is_time(text: str) -> bool:
    """Whether a text is a year, month, quarter or day that the calendar has."""
    if not _DATE.fullmatch(text):
        return False
    day = _day(text)[:10]
    try:
        date.fromisoformat(day + "0000-01-01"[len(day) :])
    except ValueError:
        return False
    return True


def _step(each: Trend) -> str:
    slope = f"slope {each.slope:.4g} a row over {len(each.series.values)} rows"
    return f"{each.series.name}: {slope}, r² {each.explained:.2f}: {each.direction}"


def _day(time: str) -> str:
    """Return the time of a row as days are compared: a quarter is its last month."""
    quarter = _QUARTER.fullmatch(time)
    return f"{quarter[1]}-{3 * int(quarter[2]):02}" if quarter else time
